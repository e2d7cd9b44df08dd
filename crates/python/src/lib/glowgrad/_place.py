"""Where a tensor is, and its shape: `device`, `Size`, and what lets a function take `device=`."""

import _glowgrad as _C
from _glowgrad import TensorBase

# The dtype of tensors made of Python's floats: `set_default_dtype` changes it.
_default = [_C.float32]


class layout:
    """How elements lie in memory: `torch.strided`, the layout of every tensor here.

    >>> torch.ones(2).layout
    """

    __module__ = "torch"

    def __new__(cls):
        raise TypeError("cannot create 'torch.layout' instances")

    def __repr__(self):
        return self._name

    def __reduce__(self):
        from glowgrad._utils import _get_layout

        return _get_layout, (self._name,)


class memory_format:
    """The order of dimensions in memory that `memory_format=` asks for.

    >>> torch.channels_last
    """

    __module__ = "torch"

    def __new__(cls):
        raise TypeError("cannot create 'torch.memory_format' instances")

    def __repr__(self):
        return self._name

    def __reduce__(self):
        return self._name[6:]


def _value(kind, name):
    value = object.__new__(kind)
    value._name = f"torch.{name}"
    return value


# What is there once is its own copy, and is pickled by its name.
for _kind in (_C.dtype, layout, memory_format):
    _kind.__copy__, _kind.__deepcopy__ = lambda self: self, lambda self, memo: self
_C.dtype.__reduce__ = lambda self: self.name
del _kind

strided = _value(layout, "strided")
contiguous_format, preserve_format, channels_last, channels_last_3d = [
    _value(memory_format, name)
    for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
]


class Size(tuple):
    """The shape of a tensor: a tuple that counts its elements.

    >>> torch.zeros(2, 3).shape.numel()
    """

    __module__ = "torch"
    __slots__ = ()

    def numel(self):
        n = 1
        for size in self:
            n *= size
        return n

    def __getitem__(self, index):
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item

    def __new__(cls, sizes=()):
        sizes = tuple(sizes)
        for place, size in enumerate(sizes):
            if not isinstance(size, int):
                raise TypeError(
                    f"torch.Size() takes an iterable of 'int' (item {place} is "
                    f"'{type(size).__name__}')"
                )
        return tuple.__new__(cls, sizes)

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other):
        return Size(tuple.__add__(tuple(other), self))

    def __mul__(self, n):
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self):
        return Size, (tuple(self),)

    def __repr__(self):
        return f"torch.Size([{', '.join(map(repr, self))}])"


# What PyTorch names so may be named, and is opened when it is used; other names are opened at once.
_NAMED = frozenset(
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia "
    "privateuseone".split()
)


class device:
    """Where a tensor is: `"cpu"`, `"webgpu"`, `"cuda"`. Under `with`, where tensors are made.

    >>> torch.device("cpu")
    """

    __module__ = "torch"

    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, such as 'cpu', not {type!r}")
        name, colon, number = type.partition(":")
        if colon:
            if not (number.isascii() and number.isdigit()):
                raise RuntimeError(f"Invalid device string: {type!r}")
            index = int(number)
        # The page's name of the GPU and the terminal's are understood in both.
        self.type, self.index = name if name in _NAMED else _C.open_device(name), index

    def _opened(self):
        """Its type, once tensors can be there."""
        if self.index not in (None, 0):
            raise RuntimeError(f"device: got {str(self)!r}; there is one of each kind: {self.type!r}")
        return _C.open_device(self.type)

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"

    def __reduce__(self):
        return device, (self.type,) if self.index is None else (self.type, self.index)

    def __enter__(self):
        self._before = _C.set_device(self._opened())
        return self

    def __exit__(self, *_):
        _C.set_device(self._before)


def _plain(options):
    """Takes out the arguments that change nothing here, after PyTorch's checks of them."""
    asked = options.pop("layout", None)
    if asked not in (None, strided):
        raise TypeError(f"argument 'layout' must be torch.layout, not {type(asked).__name__}")
    options.pop("pin_memory", None)


def _order(x, asked):
    """A tensor whose elements lie in the order of a memory format; None stands for any."""
    if asked in (None, preserve_format):
        return x
    if not isinstance(asked, memory_format):
        raise TypeError(
            "argument 'memory_format' must be torch.memory_format, not " + type(asked).__name__
        )
    if asked is contiguous_format:
        return TensorBase.contiguous(x)
    rank = 4 if asked is channels_last else 5
    if x.ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {asked._name[6:]} format")
    return TensorBase.contiguous(x.movedim(1, -1)).movedim(-1, 1)


def _in_order(x, asked):
    """Whether the elements of a tensor lie as a memory format says, without gaps."""
    if asked in (contiguous_format, preserve_format):
        return TensorBase.is_contiguous(x)
    if not isinstance(asked, memory_format):
        raise TypeError(
            "is_contiguous(): argument 'memory_format' must be torch.memory_format, not "
            + type(asked).__name__
        )
    rank = 4 if asked is channels_last else 5
    return x.ndim == rank and TensorBase.is_contiguous(x.movedim(1, -1))


def _placed(make):
    """`make`, which may be told with `device=` where the tensors that it makes are to be."""

    def placed(*args, device=None, **kwargs):
        if "layout" in kwargs or "pin_memory" in kwargs:
            _plain(kwargs)
        if device is None:
            return make(*args, **kwargs)
        with _device(device):
            return make(*args, **kwargs)

    placed.__name__, placed.__doc__ = make.__name__, make.__doc__
    return placed


def _beside(function, args, kwargs):
    """What a function gives that makes tensors where its first argument is, wherever else they are made now."""
    before = _C.make_beside(args[0]) if args else None
    if before is None:
        return function(*args, **kwargs)
    try:
        return function(*args, **kwargs)
    finally:
        _C.set_device(before)


def _placed_like(make):
    """As `_placed`; left out, they are where the first argument is."""

    def placed(input, *args, device=None, **kwargs):
        if device is None and isinstance(input, TensorBase):
            device = input.device
        asked = None
        if kwargs:
            _plain(kwargs)
            asked = kwargs.pop("memory_format", None)
        with _device(device):
            made = make(input, *args, **kwargs)
        return made if asked is None else _order(made, asked)

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


_PLAIN = {list, tuple, int, float, bool, range}
_NO_LISTS = (TensorBase, str, bytes, bytearray, dict, memoryview)


def _listed(data):
    """A list of the elements of another kind of sequence, such as a deque; else the data itself."""
    kind = type(data)
    if (
        kind in _PLAIN or not hasattr(kind, "__getitem__") or not hasattr(kind, "__len__")
        or issubclass(kind, _NO_LISTS) or hasattr(kind, "_glowgrad_tensor")
    ):
        return data
    return list(data)
