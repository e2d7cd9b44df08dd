"""`torch.nn.functional`: ops of the registry, and what is made of them."""

import _glowgrad as _C
from _glowgrad import (
    elu, embedding, gelu, layer_norm, leaky_relu, linear, log_softmax, one_hot, relu, sigmoid,
    silu, softmax, softplus, tanh,
    binary_cross_entropy_with_logits, cross_entropy, l1_loss, mse_loss, nll_loss,
)


def dropout(input, p=0.5, training=True, inplace=False):
    """Sets elements to 0 with probability p and scales the rest up. Draws differ from PyTorch's."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    if p == 1.0:
        return input * 0.0
    keep = _C.rand(input.shape, input.dtype, False, None) >= p
    return input * keep.to(input.dtype) / (1.0 - p)


def binary_cross_entropy(input, target, reduction="mean"):
    """−(target ln input + (1 − target) ln(1 − input)); logarithms stop at −100, as in PyTorch."""
    loss = -(target * input.log().clamp(min=-100) + (1 - target) * (1 - input).log().clamp(min=-100))
    return {"mean": loss.mean, "sum": loss.sum, "none": lambda: loss}[reduction]()


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / input.norm(p, dim, True).clamp(min=eps)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    return (x1 * x2).sum(dim) / (x1.norm(2, dim) * x2.norm(2, dim)).clamp(min=eps)
