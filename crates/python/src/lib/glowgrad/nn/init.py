"""`torch.nn.init`: the same numbers as PyTorch's under the same seed."""

import math

import _glowgrad as _C
from glowgrad.autograd import no_grad as _no_grad

__all__ = (
    "calculate_gain", "uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_",
    "eye_", "dirac_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_",
    "orthogonal_", "sparse_", "uniform", "normal", "constant", "eye", "dirac", "xavier_uniform",
    "xavier_normal", "kaiming_uniform", "kaiming_normal", "orthogonal", "sparse",
)


def _fill(tensor, fill):
    with _no_grad():
        fill()
    return tensor


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fills a tensor with random numbers from a to b.

    >>> nn.init.uniform_(torch.empty(2, 3)).shape
    """
    return _fill(tensor, lambda: tensor.uniform_(a, b, generator=generator))


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fills a tensor with normal random numbers.

    >>> nn.init.normal_(torch.empty(2, 3), std=0.02).shape
    """
    return _fill(tensor, lambda: tensor.normal_(mean, std, generator=generator))


def constant_(tensor, val):
    """Fills a tensor with one number.

    >>> nn.init.constant_(torch.empty(3), 0.5)
    """
    return _fill(tensor, lambda: tensor.fill_(val))


def zeros_(tensor):
    """Fills a tensor with zeros.

    >>> nn.init.zeros_(torch.ones(3))
    """
    return constant_(tensor, 0.0)


def ones_(tensor):
    """Fills a tensor with ones.

    >>> nn.init.ones_(torch.zeros(3))
    """
    return constant_(tensor, 1.0)


def eye_(tensor):
    """Makes a matrix the identity: ones on the diagonal, zeros elsewhere.

    >>> nn.init.eye_(torch.empty(2, 2))
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _fill(tensor, lambda: tensor.copy_(_C.eye(*tensor.shape, tensor.dtype, False)))


def dirac_(tensor, groups=1):
    """Makes the weight of a convolution pass its input on: a one in the middle for each channel.

    >>> nn.init.dirac_(torch.empty(2, 2, 3))
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    out = tensor.shape[0] // groups
    middle = tuple([size // 2 for size in tensor.shape[2:]])

    def fill():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(out, tensor.shape[1])):
                tensor[(group * out + channel, channel, *middle)] = 1

    return _fill(tensor, fill)


def calculate_gain(nonlinearity, param=None):
    """The factor that keeps the variance of a layer's outputs, by its activation.

    >>> nn.init.calculate_gain("relu")
    """
    gains = {
        "linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "conv_transpose1d": 1,
        "conv_transpose2d": 1, "conv_transpose3d": 1, "sigmoid": 1, "tanh": 5.0 / 3,
        "relu": math.sqrt(2.0), "selu": 3.0 / 4,
    }
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope ** 2))
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor):
    if tensor.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = 1
    for size in tensor.shape[2:]:
        field *= size
    return tensor.shape[1] * field, tensor.shape[0] * field


def _fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def _is_empty(tensor):
    if 0 in tensor.shape:
        from warnings import warn

        warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return 0 in tensor.shape


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform numbers whose spread keeps the variance forward and backward (Glorot, 2010).

    >>> nn.init.xavier_uniform_(torch.empty(3, 4)).shape
    """
    std = gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal numbers whose spread keeps the variance forward and backward (Glorot, 2010).

    >>> nn.init.xavier_normal_(torch.empty(3, 4)).shape
    """
    std = gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return normal_(tensor, 0.0, std, generator)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform numbers whose spread keeps the variance through relus (He and others, 2015).

    >>> nn.init.kaiming_uniform_(torch.empty(3, 4)).shape
    """
    if _is_empty(tensor):
        return tensor
    fan = _fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal numbers whose spread keeps the variance through relus (He and others, 2015).

    >>> nn.init.kaiming_normal_(torch.empty(3, 4)).shape
    """
    if _is_empty(tensor):
        return tensor
    fan = _fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    return normal_(tensor, 0.0, std, generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal numbers, drawn again until they lie within a … b.

    >>> nn.init.trunc_normal_(torch.empty(2, 3)).shape
    """
    if std == 0:
        raise ZeroDivisionError("float division by zero")
    if mean < a - 2 * std or mean > b + 2 * std:
        from warnings import warn

        warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
             "The distribution of values may be incorrect.")
    return _fill(
        tensor,
        lambda: _C.trunc_normal_(tensor, float(mean), float(std), float(a), float(b), generator),
    )


def orthogonal_(tensor, gain=1, generator=None):
    """Rows or columns at right angles, of length `gain`.

    >>> w = nn.init.orthogonal_(torch.empty(2, 2))
    >>> torch.allclose(w @ w.T, torch.eye(2), atol=1e-5)
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    flat = _C.randn((rows, columns), tensor.dtype, False, generator)
    turned = rows < columns
    q, r = _C.qr(flat.t() if turned else flat)
    q = q * r.diagonal().sign()
    if turned:
        q = q.t()
    return _fill(tensor, lambda: tensor.copy_(q.reshape(tensor.shape) * gain))


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal numbers of which a share in each column is 0.

    >>> w = nn.init.sparse_(torch.empty(4, 2), sparsity=0.5)
    >>> (w == 0).sum()
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = int(math.ceil(sparsity * rows))

    def draw():
        _C.normal_(tensor, 0.0, float(std), generator)
        for column in range(columns):
            tensor[_C.randperm(rows, None, None)[:zeros], column] = 0

    return _fill(tensor, draw)


def _older(function):
    """A function under the name that it had before PyTorch marked what writes into its argument."""
    name = function.__name__[:-1]

    def older(*args, **kwargs):
        from warnings import warn

        warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning,
             stacklevel=2)
        return function(*args, **kwargs)

    older.__name__ = older.__qualname__ = name
    older.__doc__ = (
        f"`{name}_` under its older name.\n\n>>> nn.init.{name}.__name__\n"
    )
    return older


uniform = _older(uniform_)
normal = _older(normal_)
constant = _older(constant_)
eye = _older(eye_)
dirac = _older(dirac_)
xavier_uniform = _older(xavier_uniform_)
xavier_normal = _older(xavier_normal_)
kaiming_uniform = _older(kaiming_uniform_)
kaiming_normal = _older(kaiming_normal_)
orthogonal = _older(orthogonal_)
sparse = _older(sparse_)
