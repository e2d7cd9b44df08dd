"""Tensors that say themselves that a module keeps them."""

import _glowgrad as _C
from glowgrad._tensor import Tensor


class _BufferType(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that a module keeps and does not learn: assigned to a module, it is a buffer of it.

    >>> layer = nn.Module()
    >>> layer.mean = nn.Buffer(torch.zeros(2))
    >>> list(layer.state_dict())
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _C.full((0,), 0.0, None, False)
        buffer = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent, buffer._is_buffer = persistent, True
        return buffer
