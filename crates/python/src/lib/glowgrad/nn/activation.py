"""Activations as modules."""

from glowgrad.nn import functional as F
from glowgrad.nn import init as _init
from glowgrad.nn.module import Module
from glowgrad.nn.parameter import _empty

__all__ = (
    "ReLU", "ReLU6", "Tanh", "Sigmoid", "LogSigmoid", "SiLU", "Mish", "SELU", "ELU", "LeakyReLU",
    "Hardtanh", "Softplus", "GELU", "PReLU", "Softmax", "LogSoftmax", "GLU",
)


class _Activation(Module):
    """An activation without options: `_function` is its name in `F`, `_onnx` are the operators of it. Its row of the
    registry follows from these (`_rows/layers.py`)."""

    _is_torch = True

    def forward(self, input):
        return getattr(F, self._function)(input)


class _InPlace(Module):
    """An activation that can write over its input."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return getattr(F, self._function)(input, inplace=self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class _Scaled(Module):
    """An activation with one number, called `_option`, that can write over its input."""

    def _prepare(self, value, inplace):
        setattr(self, self._option, value)
        self.inplace = inplace

    def forward(self, input):
        return getattr(F, self._function)(input, getattr(self, self._option), self.inplace)

    def extra_repr(self):
        return f"{self._option}={getattr(self, self._option)}{_in_place(self)}"


def _in_place(module):
    return ", inplace=True" if module.inplace else ""


class _Along(Module):
    """An activation along a dimension."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return getattr(F, self._function)(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class ReLU(_InPlace):
    """Negative elements become 0.

    >>> nn.ReLU()(torch.tensor([-1.0, 0.0, 2.0]))
    """

    _function = "relu"


class Hardtanh(Module):
    """Elements are kept between two bounds.

    >>> nn.Hardtanh()(torch.tensor([-3.0, 0.5, 3.0]))
    """

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__()
        for name, value in (("min", min_value), ("max", max_value)):
            if value is not None:
                from warnings import warn

                warn(f"keyword argument `{name}_value` is deprecated and renamed to "
                     f"`{name}_val`", FutureWarning, stacklevel=2)
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}{_in_place(self)}"


class ReLU6(Hardtanh):
    """Elements are kept between 0 and 6.

    >>> nn.ReLU6()(torch.tensor([-1.0, 2.0, 9.0]))
    """

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def forward(self, input):
        return F.relu6(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Tanh(_Activation):
    """The hyperbolic tangent of each element, between -1 and 1.

    >>> nn.Tanh()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "tanh"
    _onnx = "Tanh"


class Sigmoid(_Activation):
    """1 / (1 + e⁻ˣ) of each element, between 0 and 1.

    >>> nn.Sigmoid()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "sigmoid"
    _onnx = "Sigmoid"


class LogSigmoid(_Activation):
    """The logarithm of the sigmoid of each element.

    >>> nn.LogSigmoid()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "logsigmoid"
    _onnx = "Sigmoid, Log"


class SiLU(_InPlace):
    """Each element times its sigmoid, also named swish.

    >>> nn.SiLU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "silu"


class Mish(_InPlace):
    """Each element times the tanh of its softplus.

    >>> nn.Mish()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "mish"


class SELU(_InPlace):
    """An elu whose scale keeps mean 0 and variance 1 through many layers.

    >>> nn.SELU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "selu"


class ELU(_Scaled):
    """Positive elements as they are, negative ones alpha · (eˣ − 1).

    >>> nn.ELU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function, _option = "elu", "alpha"

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self._prepare(alpha, inplace)


class LeakyReLU(_Scaled):
    """Negative elements times a small slope, positive ones as they are.

    >>> nn.LeakyReLU(0.1)(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function, _option = "leaky_relu", "negative_slope"

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self._prepare(negative_slope, inplace)


class Softplus(Module):
    """log(1 + eˣ) of each element: a smooth relu.

    >>> nn.Softplus()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class GELU(Module):
    """Each element times the share of the normal distribution below it.

    >>> nn.GELU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class PReLU(Module):
    """A leaky relu whose slope is learned, one for all channels or one for each.

    >>> nn.PReLU()(torch.tensor([-1.0, 1.0])).tolist()
    """

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = _empty(num_parameters, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self):
        """Sets the slopes back.

        >>> layer = nn.PReLU()
        >>> layer.reset_parameters()
        """
        _init.constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softmax(_Along):
    """Numbers along a dimension as shares that sum to 1.

    >>> nn.Softmax(dim=0)(torch.tensor([0.0, 1.0, 2.0]))
    """

    _function = "softmax"

    def __init__(self, dim=None):
        if dim is not None and (not isinstance(dim, int) or isinstance(dim, bool)):
            raise TypeError(f"dim must be an int or None, got {type(dim)}")
        super().__init__(dim)


class LogSoftmax(Softmax):
    """The logarithm of the softmax along a dimension.

    >>> nn.LogSoftmax(dim=0)(torch.tensor([0.0, 1.0, 2.0]))
    """

    _function = "log_softmax"


class GLU(_Along):
    """One half of a dimension times the sigmoid of the other half.

    >>> nn.GLU()(torch.tensor([1.0, 2.0, 0.0, 0.0]))
    """

    _function = "glu"

    def __init__(self, dim=-1):
        super().__init__(dim)
