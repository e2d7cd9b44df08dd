"""`torch.nn.functional`: the ops whose `functional` is set, and what Python makes of ops."""

import _glowgrad as _C
from glowgrad._later import _later

# Modules of `glowgrad.nn` that are loaded when one of their functions is first asked for.
_LATER = {
    "attention": ("multi_head_attention_forward",),
    "bags": ("embedding_bag",),
    "ctc_loss": ("ctc_loss",),
    "grids": (
        "affine_grid", "grid_sample", "GRID_SAMPLE_INTERPOLATION_MODES",
        "GRID_SAMPLE_PADDING_MODES",
    ),
    "rare_functions": (
        "alpha_dropout", "bilinear", "channel_shuffle", "conv_tbc", "conv_transpose3d",
        "feature_alpha_dropout", "grouped_mm", "gumbel_softmax", "local_response_norm",
        "native_channel_shuffle", "pdist", "rrelu", "rrelu_", "scaled_addmm", "scaled_addmm_",
        "scaled_grouped_mm", "scaled_mm",
    ),
    "rare_loss": (
        "multilabel_margin_loss", "multilabel_soft_margin_loss", "linear_cross_entropy",
        "triplet_margin_with_distance_loss",
    ),
    "rare_pooling": (
        "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d",
        "adaptive_avg_pool3d", "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices",
        "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
        "fractional_max_pool3d_with_indices",
    ),
    "upsampling": ("interpolate", "upsample", "upsample_nearest", "upsample_bilinear"),
}
__getattr__, __dir__ = _later(__name__, _LATER, "glowgrad.nn")

for _name in _C._functional_ops:
    if not _name.startswith("upsample"):
        globals()[_name] = getattr(_C, _name)

# After the ops that some of these functions wrap.
from glowgrad.nn._functional import *
from glowgrad.nn._losses import *


def _over(input, op, args, kwargs):
    """What an op gives, written over its input; the op's rule reads a copy of that."""
    needs_copy = input.requires_grad and _C.is_grad_enabled()
    return input.copy_(op(input.clone() if needs_copy else input, *args, **kwargs))


def _activation(name, has_twin):
    """An activation of the registry with `inplace`, and its twin that writes over its input."""
    op = getattr(_C, name)

    def in_place(input, *args, **kwargs):
        return _over(input, op, args, kwargs)

    def function(input, *args, inplace=False, **kwargs):
        if args and isinstance(args[-1], bool):
            inplace, args = args[-1], args[:-1]
        return in_place(input, *args, **kwargs) if inplace else op(input, *args, **kwargs)

    if name == "relu":
        in_place = _C.TensorBase.relu_
    else:
        in_place.__name__ = in_place.__qualname__ = name + "_"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.__doc__
    globals()[name] = function
    if has_twin:
        globals()[name + "_"] = in_place


for _name in "celu elu hardtanh leaky_relu relu selu threshold".split():
    _activation(_name, True)
for _name in "hardsigmoid hardswish mish relu6 silu".split():
    _activation(_name, False)

__all__ = [name for name in __dir__() if not name.startswith("_")]
