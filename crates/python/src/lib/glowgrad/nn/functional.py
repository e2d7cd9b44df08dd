"""The functions behind the layers, as in torch.nn.functional: ops of the registry by PyTorch's names."""

import _glowgrad as _C

linear = _C.linear
relu = _C.relu
tanh = _C.tanh
sigmoid = _C.sigmoid
silu = _C.silu
gelu = _C.gelu
elu = _C.elu
leaky_relu = _C.leaky_relu
softplus = _C.softplus
layer_norm = _C.layer_norm
embedding = _C.embedding
cross_entropy = _C.cross_entropy
nll_loss = _C.nll_loss
mse_loss = _C.mse_loss
l1_loss = _C.l1_loss
binary_cross_entropy_with_logits = _C.binary_cross_entropy_with_logits
log_softmax = _C.log_softmax
softmax = _C.softmax


def one_hot(tensor, num_classes=-1):
    if num_classes == -1:
        num_classes = int(tensor.max().item()) + 1
    return _C.one_hot(tensor, num_classes)
