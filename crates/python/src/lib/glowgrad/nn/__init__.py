"""`torch.nn`: layers, activations and losses."""

from glowgrad._later import _later
from glowgrad._tensor import Parameter

# Modules that are loaded when one of their names is first asked for.
_LATER = {
    "adaptive": ("AdaptiveLogSoftmaxWithLoss",),
    "attention": ("MultiheadAttention",),
    "bags": ("EmbeddingBag",),
    "buffer": ("Buffer",),
    "common_types": (),
    "ctc_loss": ("CTCLoss",),
    "_factory": ("factory_kwargs",),
    "grad": (),
    "lazy": (
        "LazyLinear", "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d",
        "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyBatchNorm1d", "LazyBatchNorm2d",
        "LazyBatchNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d",
        "UninitializedParameter", "UninitializedBuffer",
    ),
    "modules": (),
    "padding": (
        "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
        "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
        "ReplicationPad2d", "ReplicationPad3d", "CircularPad1d", "CircularPad2d", "CircularPad3d",
    ),
    "parallel": ("DataParallel",),
    "parameter": (),
    "parameter_containers": ("Container", "ParameterList", "ParameterDict"),
    "positions": (
        "PositionalEncoding", "RotaryPositionalEmbeddings", "KVCache", "GroupedQueryAttention",
    ),
    "pixels": ("Unfold", "Fold", "PixelShuffle", "PixelUnshuffle", "ChannelShuffle"),
    "rare_activation": (
        "RReLU", "Softsign", "Tanhshrink", "Hardsigmoid", "Hardswish", "CELU", "Threshold",
        "Softshrink", "Hardshrink", "Softmin", "Softmax2d",
    ),
    "rare_loss": (
        "SoftMarginLoss", "PoissonNLLLoss", "GaussianNLLLoss", "CosineEmbeddingLoss",
        "MarginRankingLoss", "HingeEmbeddingLoss", "TripletMarginLoss", "MultiMarginLoss",
        "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "NLLLoss2d",
        "TripletMarginWithDistanceLoss", "LinearCrossEntropyLoss", "LinearCrossEntropyOptions",
    ),
    "rare_normalization": (
        "SyncBatchNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LocalResponseNorm",
        "CrossMapLRN2d",
    ),
    "rare_pooling": (
        "AdaptiveAvgPool3d", "AdaptiveMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d",
        "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
    ),
    "recurrent": (
        "RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell",
    ),
    "transformer": (
        "Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer",
        "TransformerDecoderLayer",
    ),
    "upsampling": ("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"),
    "utils": (),
}
__getattr__, __dir__ = _later(__name__, _LATER, __name__)

from glowgrad.nn import functional, init
from glowgrad.nn.activation import *
from glowgrad.nn.containers import *
from glowgrad.nn.conv import *
from glowgrad.nn.dropout import *
from glowgrad.nn.linear import *
from glowgrad.nn.loss import *
from glowgrad.nn.module import Module
from glowgrad.nn.normalization import *
from glowgrad.nn.pooling import *
from glowgrad.nn.shapes import *

# The names without those of the files in which they are.
__all__ = [
    name for name in __dir__()
    if name[0].isupper() or name in ("functional", "init", "parallel") or _LATER.get(name) == ()
]
