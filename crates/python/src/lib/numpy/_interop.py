"""Arrays as indices of tensors, as what is written into them and made of them: loaded with the
first array."""

import _glowgrad as _C
from glowgrad._tensor import Tensor

_get, _set = _C.TensorBase.__getitem__, _C.TensorBase.__setitem__


def _plain(index):
    """An index with tensors in place of arrays; None where it has none."""
    parts = index if isinstance(index, tuple) else (index,)
    if not any([hasattr(part, "_glowgrad_tensor") for part in parts]):
        return None
    parts = tuple([getattr(part, "_glowgrad_tensor", part) for part in parts])
    return parts if isinstance(index, tuple) else parts[0]


def _getitem(self, index):
    try:
        return _get(self, index)
    except IndexError:
        plain = _plain(index)
        if plain is None:
            raise
    return _get(self, plain)


def _setitem(self, index, value):
    plain = _plain(index)
    _set(self, index if plain is None else plain, getattr(value, "_glowgrad_tensor", value))


def _new(cls, *data):
    """`torch.Tensor(array)`."""
    if len(data) == 1 and hasattr(data[0], "_glowgrad_tensor"):
        data = (data[0]._glowgrad_tensor.float(),)
    return _C.TensorBase.__new__(cls, *data)


Tensor.__getitem__, Tensor.__setitem__, Tensor.__new__ = _getitem, _setitem, staticmethod(_new)
