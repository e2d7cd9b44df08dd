"""`torch.nn.functional`: ops of the registry, and what is made of them."""

import _glowgrad as _C
from _glowgrad import (
    gelu, hardshrink, linear, log_softmax, logsigmoid, one_hot, pad, prelu, sigmoid, softmax,
    softplus, softshrink, softsign, tanh,
    avg_pool1d, avg_pool2d, avg_pool3d, conv_transpose1d, conv_transpose2d, cosine_similarity,
    glu, normalize, pairwise_distance, pixel_shuffle, pixel_unshuffle,
)
from glowgrad.nn._functional import (
    _reduction, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_max_pool1d,
    adaptive_max_pool2d, batch_norm, bilinear, binary_cross_entropy,
    binary_cross_entropy_with_logits, conv1d, conv2d, conv3d, cosine_embedding_loss,
    cross_entropy, dropout, dropout1d, dropout2d, embedding, fold, gaussian_nll_loss, group_norm,
    hinge_embedding_loss, huber_loss, instance_norm, interpolate, kl_div, l1_loss, layer_norm,
    margin_ranking_loss, max_pool1d, max_pool2d, max_pool3d, mse_loss, multi_margin_loss,
    nll_loss, poisson_nll_loss, rms_norm, scaled_dot_product_attention, smooth_l1_loss,
    soft_margin_loss, softmin, triplet_margin_loss, unfold, upsample,
)


def _activation(name):
    """An activation of the registry with PyTorch's `inplace`."""
    op = getattr(_C, name)

    def function(input, *args, inplace=False, **kwargs):
        if args and isinstance(args[-1], bool):
            inplace, args = args[-1], args[:-1]
        result = op(input, *args, **kwargs)
        return input.copy_(result) if inplace else result

    def in_place(input, *args, **kwargs):
        return input.copy_(op(input, *args, **kwargs))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.__doc__
    in_place.__name__ = in_place.__qualname__ = name + "_"
    globals()[name], globals()[name + "_"] = function, in_place


for _name in (
    "celu elu hardsigmoid hardswish hardtanh leaky_relu mish relu relu6 selu silu threshold"
).split():
    _activation(_name)
