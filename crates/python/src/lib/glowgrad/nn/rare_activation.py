"""Activations that few programs use."""

from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn.activation import _Activation, _Along, _InPlace, _Scaled, _in_place
from glowgrad.nn.module import Module

__all__ = _LATER["rare_activation"]


class RReLU(Module):
    """Negative elements times a slope that is drawn while training, and otherwise in the middle.

    >>> nn.RReLU().eval()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return f"lower={self.lower}, upper={self.upper}{_in_place(self)}"


class Softsign(_Activation):
    """x / (1 + |x|) of each element.

    >>> nn.Softsign()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "softsign"
    _onnx = "Softsign"


class Tanhshrink(_Activation):
    """x − tanh(x) of each element.

    >>> nn.Tanhshrink()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function = "tanhshrink"
    _onnx = "Tanh, Sub"


class Hardsigmoid(_InPlace):
    """A sigmoid made of straight lines.

    >>> nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 4.0]))
    """

    _function = "hardsigmoid"

    def extra_repr(self):
        return ""


class Hardswish(_InPlace):
    """Each element times its hard sigmoid.

    >>> nn.Hardswish()(torch.tensor([-4.0, 0.0, 4.0]))
    """

    _function = "hardswish"

    def extra_repr(self):
        return ""


class CELU(_Scaled):
    """max(0, x) + min(0, alpha · (exp(x / alpha) − 1)) of each element.

    >>> nn.CELU()(torch.tensor([-1.0, 0.0, 1.0]))
    """

    _function, _option = "celu", "alpha"

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self._prepare(alpha, inplace)


class Threshold(Module):
    """Elements that do not exceed a threshold are replaced by a value.

    >>> nn.Threshold(0.5, 0.0)(torch.tensor([0.2, 0.8]))
    """

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self):
        return f"threshold={self.threshold}, value={self.value}{_in_place(self)}"


class _Shrink(Module):
    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return getattr(F, self._function)(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class Softshrink(_Shrink):
    """Elements moved towards 0 by lambd; those within it become 0.

    >>> nn.Softshrink()(torch.tensor([-1.0, 0.2, 1.0]))
    """

    _function = "softshrink"


class Hardshrink(_Shrink):
    """Elements of at most lambd in size become 0.

    >>> nn.Hardshrink()(torch.tensor([-1.0, 0.2, 1.0]))
    """

    _function = "hardshrink"


class Softmin(_Along):
    """The softmax of the negative numbers: the least has the largest share.

    >>> nn.Softmin(dim=0)(torch.tensor([0.0, 1.0, 2.0]))
    """

    _function = "softmin"


class Softmax2d(Module):
    """The softmax over the channels at each place of images.

    >>> nn.Softmax2d()(torch.zeros(1, 2, 1, 1)).flatten()
    """

    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return F.softmax(input, -3)
