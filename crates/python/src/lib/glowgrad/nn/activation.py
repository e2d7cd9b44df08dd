"""Activations as modules."""

import _glowgrad as _C
from glowgrad._tensor import Parameter, _placed
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
    _function = "relu"


class ReLU6(_Activation):
    _function = "relu6"


class Tanh(_Activation):
    _function = "tanh"


class Sigmoid(_Activation):
    _function = "sigmoid"


class LogSigmoid(_Activation):
    _function = "logsigmoid"


class SiLU(_Activation):
    _function = "silu"


class Mish(_Activation):
    _function = "mish"


class Softsign(_Activation):
    _function = "softsign"


class Hardsigmoid(_Activation):
    _function = "hardsigmoid"


class Hardswish(_Activation):
    _function = "hardswish"


class SELU(_Activation):
    _function = "selu"


class CELU(_Activation):
    _function, _options = "celu", (("alpha", 1.0),)


class ELU(_Activation):
    _function, _options = "elu", (("alpha", 1.0),)


class LeakyReLU(_Activation):
    _function, _options = "leaky_relu", (("negative_slope", 0.01),)


class Hardtanh(_Activation):
    _function, _options = "hardtanh", (("min_val", -1.0), ("max_val", 1.0))


class Threshold(_Activation):
    _function, _options = "threshold", (("threshold", 0.0), ("value", 0.0))


class Softplus(_Activation):
    _function, _options = "softplus", (("beta", 1.0), ("threshold", 20.0))


class Softshrink(_Unnamed):
    _function, _options = "softshrink", (("lambd", 0.5),)


class Hardshrink(_Unnamed):
    _function, _options = "hardshrink", (("lambd", 0.5),)


class GELU(Module):
    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class PReLU(Module):
    """A leaky relu whose slope is learned, one for all channels or one for each."""

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
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    def forward(self, input):
        return F.log_softmax(input, self.dim)


class Softmin(Softmax):
    def forward(self, input):
        return F.softmin(input, self.dim)


class GLU(Softmax):
    def __init__(self, dim=-1):
        super().__init__(dim)

    def forward(self, input):
        return F.glu(input, self.dim)
