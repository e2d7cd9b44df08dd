"""A layer and the batch norm after it as one layer."""

import copy

from glowgrad._tensor import Parameter

__all__ = (
    "fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights",
)


def _check(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A convolution that does what a convolution and a batch norm in eval() do.

    >>> conv, norm = nn.Conv1d(1, 2, 3).eval(), nn.BatchNorm1d(2).eval()
    >>> x = torch.randn(1, 1, 5)
    >>> torch.allclose(nn.utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-6)
    """
    _check(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias,
        transpose,
    )
    return fused


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """Weight and bias of the convolution that does what both do.

    >>> one, none = torch.ones(1), torch.zeros(1)
    >>> nn.utils.fuse_conv_bn_weights(torch.ones(1, 1, 1), one, none, one, 0.0, one, none)
    """
    dtype = conv_w.dtype
    bias_dtype = dtype if conv_b is None else conv_b.dtype
    conv_b = bn_rm.new_zeros(bn_rm.shape) if conv_b is None else conv_b
    bn_w = bn_rm.new_ones(bn_rm.shape) if bn_w is None else bn_w
    bn_b = bn_rm.new_zeros(bn_rm.shape) if bn_b is None else bn_b
    scale = (bn_rv + bn_eps).rsqrt()
    channels = [1, -1] if transpose else [-1, 1]
    weight = (conv_w * (bn_w * scale).reshape(channels + [1] * (conv_w.ndim - 2))).to(dtype)
    bias = ((conv_b - bn_rm) * scale * bn_w + bn_b).to(bias_dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """A linear layer that does what a linear layer and a batch norm in eval() do.

    >>> linear, norm = nn.Linear(3, 2).eval(), nn.BatchNorm1d(2).eval()
    >>> x = torch.randn(4, 3)
    >>> torch.allclose(nn.utils.fuse_linear_bn_eval(linear, norm)(x), norm(linear(x)), atol=1e-6)
    """
    if linear.out_features != bn.num_features and bn.num_features != 1:
        if not linear.training and not bn.training:
            raise AssertionError(
                "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
                f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
            )
    _check(linear, bn)
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """Weight and bias of the linear layer that does what both do.

    >>> one, none = torch.ones(1), torch.zeros(1)
    >>> nn.utils.fuse_linear_bn_weights(torch.ones(1, 2), one, none, one, 0.0, one, none)
    """
    dtype = linear_w.dtype
    bias_dtype = dtype if linear_b is None else linear_b.dtype
    linear_b = bn_rm.new_zeros(bn_rm.shape) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = linear_w * scale.unsqueeze(-1).to(dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(bias_dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)
