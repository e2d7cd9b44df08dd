"""Activations as modules."""

import _glowgrad as _C
from glowgrad._place import _placed
from glowgrad._tensor import Parameter
from glowgrad.nn import functional as F
from glowgrad.nn.module import Module

__all__ = (
    "ReLU", "ReLU6", "Tanh", "Sigmoid", "LogSigmoid", "SiLU", "Mish", "Softsign", "Hardsigmoid",
    "Hardswish", "SELU", "CELU", "ELU", "LeakyReLU", "Hardtanh", "Threshold", "Softplus",
    "Softshrink", "Hardshrink", "GELU", "PReLU", "Softmax", "LogSoftmax", "Softmin", "GLU",
)


class _Activation(Module):
    """An activation without state: its options, in the order of its function's parameters."""

    _function, _options = None, ()

    def __init__(self, *values, inplace=False, **named):
        super().__init__()
        options = type(self)._options
        if len(values) == len(options) + 1:
            inplace, values = values[-1], values[:-1]
        if len(values) > len(options):
            raise TypeError(
                f"{type(self).__name__}() takes {len(options)} options, got {len(values)}"
            )
        for i, (name, default) in enumerate(options):
            setattr(self, name, values[i] if i < len(values) else named.pop(name, default))
        if named:
            raise TypeError(
                f"{type(self).__name__}() got an unexpected keyword argument {next(iter(named))!r}"
            )
        self.inplace = inplace

    def forward(self, input):
        arguments = [getattr(self, name) for name, _ in type(self)._options]
        result = getattr(F, type(self)._function)(input, *arguments)
        return input.copy_(result) if self.inplace else result

    def extra_repr(self):
        parts = [f"{name}={getattr(self, name)!r}" for name, _ in type(self)._options]
        if self.inplace:
            parts.append("inplace=True")
        return ", ".join(parts)


class _Unnamed(_Activation):
    """Shows its only option without its name, as PyTorch does."""

    def extra_repr(self):
        return str(getattr(self, type(self)._options[0][0]))


class ReLU(_Activation):
    """Negative elements become 0.

    >>> nn.ReLU()(torch.tensor([-1.0, 0.0, 2.0]))
    """

    _function = "relu"


class ReLU6(_Activation):
    """Elements are kept between 0 and 6.

    >>> nn.ReLU6()(torch.tensor([-1.0, 2.0, 9.0]))
    """

    _function = "relu6"


class Tanh(_Activation):
    """The hyperbolic tangent of each element, between -1 and 1.

    >>> nn.Tanh()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "tanh"


class Sigmoid(_Activation):
    """1 / (1 + e⁻ˣ) of each element, between 0 and 1.

    >>> nn.Sigmoid()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "sigmoid"


class LogSigmoid(_Activation):
    """The logarithm of the sigmoid of each element.

    >>> nn.LogSigmoid()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "logsigmoid"


class SiLU(_Activation):
    """Each element times its sigmoid, also named swish.

    >>> nn.SiLU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "silu"


class Mish(_Activation):
    """Each element times the tanh of its softplus.

    >>> nn.Mish()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "mish"


class Softsign(_Activation):
    """x / (1 + |x|) of each element.

    >>> nn.Softsign()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "softsign"


class Hardsigmoid(_Activation):
    """A sigmoid made of straight lines.

    >>> nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 4.0]))
    """

    _function = "hardsigmoid"


class Hardswish(_Activation):
    """Each element times its hard sigmoid.

    >>> nn.Hardswish()(torch.tensor([-4.0, 0.0, 4.0]))
    """

    _function = "hardswish"


class SELU(_Activation):
    """An elu whose scale keeps mean 0 and variance 1 through many layers.

    >>> nn.SELU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "selu"


class CELU(_Activation):
    """max(0, x) + min(0, alpha · (exp(x / alpha) − 1)) of each element.

    >>> nn.CELU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function, _options = "celu", (("alpha", 1.0),)


class ELU(_Activation):
    """Positive elements as they are, negative ones alpha · (eˣ − 1).

    >>> nn.ELU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function, _options = "elu", (("alpha", 1.0),)


class LeakyReLU(_Activation):
    """Negative elements times a small slope, positive ones as they are.

    >>> nn.LeakyReLU(0.1)(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function, _options = "leaky_relu", (("negative_slope", 0.01),)


class Hardtanh(_Activation):
    """Elements are kept between two bounds.

    >>> nn.Hardtanh()(torch.tensor([-3.0, 0.5, 3.0]))
    """

    _function, _options = "hardtanh", (("min_val", -1.0), ("max_val", 1.0))


class Threshold(_Activation):
    """Elements that do not exceed a threshold are replaced by a value.

    >>> nn.Threshold(0.5, 0.0)(torch.tensor([0.2, 0.8]))
    """

    _function, _options = "threshold", (("threshold", 0.0), ("value", 0.0))


class Softplus(_Activation):
    """log(1 + eˣ) of each element: a smooth relu.

    >>> nn.Softplus()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function, _options = "softplus", (("beta", 1.0), ("threshold", 20.0))


class Softshrink(_Unnamed):
    """Elements moved towards 0 by lambd; those within it become 0.

    >>> nn.Softshrink()(torch.tensor([-1.0, 0.2, 1.0]))
    """

    _function, _options = "softshrink", (("lambd", 0.5),)


class Hardshrink(_Unnamed):
    """Elements of at most lambd in size become 0.

    >>> nn.Hardshrink()(torch.tensor([-1.0, 0.2, 1.0]))
    """

    _function, _options = "hardshrink", (("lambd", 0.5),)


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

    @_placed
    def __init__(self, num_parameters=1, init=0.25, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(_C.full((num_parameters,), init, dtype or _C.float32, False, "empty"))

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Softmax(Module):
    """Numbers along a dimension as shares that sum to 1.

    >>> nn.Softmax(dim=0)(torch.tensor([0.0, 1.0, 2.0]))
    """

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """The logarithm of the softmax along a dimension.

    >>> nn.LogSoftmax(dim=0)(torch.tensor([0.0, 1.0, 2.0]))
    """

    def forward(self, input):
        return F.log_softmax(input, self.dim)


class Softmin(Softmax):
    """The softmax of the negative numbers: the least has the largest share.

    >>> nn.Softmin(dim=0)(torch.tensor([0.0, 1.0, 2.0]))
    """

    def forward(self, input):
        return F.softmin(input, self.dim)


class GLU(Softmax):
    """One half of a dimension times the sigmoid of the other half.

    >>> nn.GLU()(torch.tensor([1.0, 2.0, 0.0, 0.0]))
    """

    def __init__(self, dim=-1):
        super().__init__(dim)

    def forward(self, input):
        return F.glu(input, self.dim)
