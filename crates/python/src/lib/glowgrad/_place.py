"""Where a tensor is, and its shape: `device`, `Size`, and what lets a function take `device=`."""

import _glowgrad as _C
from _glowgrad import TensorBase


class Size(tuple):
    """The shape of a tensor: a tuple that counts its elements.

    >>> torch.zeros(2, 3).shape.numel()
    """

    __slots__ = ()

    def numel(self):
        n = 1
        for size in self:
            n *= size
        return n

    def __getitem__(self, index):
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __repr__(self):
        return f"torch.Size([{', '.join(map(repr, self))}])"


class device:
    """Where a tensor is: `"cpu"`, `"webgpu"`, `"cuda"`. Under `with`, where tensors are made.

    >>> torch.device("cpu")
    """

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, such as 'cpu', not {type!r}")
        name, _, number = type.partition(":")
        if number:
            index = int(number) if number.isdigit() else number
        if index not in (None, 0):
            raise RuntimeError(f"device: got {type!r}; there is one of each kind: {name!r}")
        self.type, self.index = _C.open_device(name), index

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"

    def __enter__(self):
        self._before = _C.set_device(self.type)
        return self

    def __exit__(self, *_):
        _C.set_device(self._before)


def _placed(make):
    """`make`, which may be told with `device=` where the tensors that it makes are to be."""

    def placed(*args, device=None, **kwargs):
        if device is None:
            return make(*args, **kwargs)
        with _device(device):
            return make(*args, **kwargs)

    placed.__name__, placed.__doc__ = make.__name__, make.__doc__
    return placed


def _placed_like(make):
    """As `_placed`; left out, they are where the first argument is."""

    def placed(input, *args, device=None, **kwargs):
        if device is None and isinstance(input, TensorBase):
            device = input.device
        with _device(device):
            return make(input, *args, **kwargs)

    placed.__name__, placed.__doc__ = make.__name__, make.__doc__
    return placed


def _device(where):
    return where if isinstance(where, device) else device(_C.device_type() if where is None else where)


def _widest_float(device):
    """float64, which a GPU through WebGPU, Vulkan, Metal or DX12 does not have: float32 there."""
    return _C.float64 if device.type in ("cpu", "cuda") else _C.float32


def _sizes(sizes):
    if len(sizes) == 1 and not isinstance(sizes[0], int):
        return sizes[0]
    return sizes
