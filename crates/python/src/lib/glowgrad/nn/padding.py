"""`torch.nn`'s layers that put elements around an input."""

from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn.module import Module

__all__ = _LATER["padding"]


class _Pad(Module):
    """Elements around the last dimensions; `_dims` of them, `_mode` says which elements."""

    def __init__(self, padding):
        super().__init__()
        sides = 2 * self._dims
        self.padding = tuple(padding) if hasattr(padding, "__iter__") else (padding,) * sides

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return str(self.padding)


class _ConstantPad(_Pad):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return str(self.padding)


class _ReflectionPad(_Pad):
    _mode = "reflect"


class _ReplicationPad(_Pad):
    _mode = "replicate"


class _CircularPad(_Pad):
    _mode = "circular"

    def forward(self, input):
        if input.dim() not in (self._dims + 1, self._dims + 2):
            raise ValueError(
                f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.dim()}D input)"
            )
        return super().forward(input)


class ConstantPad1d(_ConstantPad):
    """One number around signals.

    >>> nn.ConstantPad1d(1, 7.0)(torch.tensor([[[1.0, 2.0, 3.0]]]))
    """

    _dims = 1


class ConstantPad2d(_ConstantPad):
    """One number around images.

    >>> nn.ConstantPad2d(1, 7.0)(torch.ones(1, 1, 3, 3)).shape
    """

    _dims = 2


class ConstantPad3d(_ConstantPad):
    """One number around volumes.

    >>> nn.ConstantPad3d(1, 7.0)(torch.ones(1, 1, 3, 3, 3)).shape
    """

    _dims = 3


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Zeros around signals.

    >>> nn.ZeroPad1d(1)(torch.tensor([[[1.0, 2.0, 3.0]]]))
    """

    _dims = 1


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Zeros around images.

    >>> nn.ZeroPad2d(1)(torch.ones(1, 1, 3, 3)).shape
    """

    _dims = 2


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Zeros around volumes.

    >>> nn.ZeroPad3d(1)(torch.ones(1, 1, 3, 3, 3)).shape
    """

    _dims = 3


class ReflectionPad1d(_ReflectionPad):
    """Signals continued by their mirror image at each edge.

    >>> nn.ReflectionPad1d(1)(torch.tensor([[[1.0, 2.0, 3.0]]]))
    """

    _dims = 1


class ReflectionPad2d(_ReflectionPad):
    """Images continued by their mirror image at each edge.

    >>> nn.ReflectionPad2d(1)(torch.ones(1, 1, 3, 3)).shape
    """

    _dims = 2


class ReflectionPad3d(_ReflectionPad):
    """Volumes continued by their mirror image at each edge.

    >>> nn.ReflectionPad3d(1)(torch.ones(1, 1, 3, 3, 3)).shape
    """

    _dims = 3


class ReplicationPad1d(_ReplicationPad):
    """Signals with the elements at their edges repeated.

    >>> nn.ReplicationPad1d(1)(torch.tensor([[[1.0, 2.0, 3.0]]]))
    """

    _dims = 1


class ReplicationPad2d(_ReplicationPad):
    """Images with the elements at their edges repeated.

    >>> nn.ReplicationPad2d(1)(torch.ones(1, 1, 3, 3)).shape
    """

    _dims = 2


class ReplicationPad3d(_ReplicationPad):
    """Volumes with the elements at their edges repeated.

    >>> nn.ReplicationPad3d(1)(torch.ones(1, 1, 3, 3, 3)).shape
    """

    _dims = 3


class CircularPad1d(_CircularPad):
    """Signals continued at each end by the elements from the other end.

    >>> nn.CircularPad1d(1)(torch.tensor([[[1.0, 2.0, 3.0]]]))
    """

    _dims = 1


class CircularPad2d(_CircularPad):
    """Images continued at each end by the elements from the other end.

    >>> nn.CircularPad2d(1)(torch.ones(1, 1, 3, 3)).shape
    """

    _dims = 2


class CircularPad3d(_CircularPad):
    """Volumes continued at each end by the elements from the other end.

    >>> nn.CircularPad3d(1)(torch.ones(1, 1, 3, 3, 3)).shape
    """

    _dims = 3
