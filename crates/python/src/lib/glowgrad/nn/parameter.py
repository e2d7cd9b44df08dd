"""`torch.nn.parameter`: tensors that a module learns, and those that it keeps."""

import _glowgrad as _C
from glowgrad._later import _later
from glowgrad._place import _device
from glowgrad._tensor import Parameter

_LATER = {
    "buffer": ("Buffer",),
    "lazy": (
        "UninitializedTensorMixin", "UninitializedParameter", "UninitializedBuffer", "is_lazy",
    ),
}
__getattr__, __dir__ = _later(__name__, _LATER, "glowgrad.nn")


def _full(shape, value, device=None, dtype=None, name="empty"):
    """A tensor with this value, as a layer makes it for itself."""
    if device is None:
        return _C.full(shape, value, dtype, False, name)
    with _device(device):
        return _C.full(shape, value, dtype, False, name)


def _empty(*shape, device=None, dtype=None):
    """A parameter that is to be filled."""
    return Parameter._adopt(Parameter, _full(shape, 0.0, device, dtype))
