"""PyTorch's older types, one for each dtype: `FloatTensor`, `LongStorage`."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._bytes import UntypedStorage
from glowgrad._place import strided

_DTYPES = {
    dtype.scalar_name: dtype
    for dtype in (
        _C.float32, _C.float64, _C.float16, _C.bfloat16, _C.uint8, _C.int8, _C.int16, _C.int32,
        _C.int64, _C.bool,
    )
}


def _fresh(name, dtype, args, like=None):
    """A tensor of a dtype from sizes, from a row of numbers or from a tensor of that dtype."""
    if not args:
        return _C.full((0,), 0, dtype, False, "empty")
    data = args[0]
    if isinstance(data, int) or type(data).__name__ == "Size":
        sizes = data if not isinstance(data, int) else args
        return _C.full(sizes, 0, dtype, False, "empty")
    if len(args) > 1:
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got "
            f"({', '.join(type(each).__name__ for each in args)}), but expected sizes or one row "
            "of numbers"
        )
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(data, TensorBase):
        if data.dtype is not dtype:
            raise TypeError(
                f"expected a tensor of {dtype} (got {data.dtype}); convert it with .to({dtype})"
            )
        return data.detach()
    if isinstance(data, UntypedStorage):
        raise TypeError("a tensor is made of a storage with torch.empty(0, dtype=…).set_(storage)")
    array = getattr(data, "_glowgrad_tensor", None)
    return (_C.from_data(data, None, False) if array is None else array.clone()).to(dtype)


class tensortype(type):
    """The class of `FloatTensor` and its like."""

    __module__ = "torch"

    def __instancecheck__(cls, x):
        return isinstance(x, TensorBase) and x.dtype is cls.dtype and x.device.type == "cpu"

    def __call__(cls, *args, device=None):
        if device not in (None, "cpu") and str(device) != "cpu":
            raise RuntimeError(
                f"legacy constructor expects device type: cpu but device type: {device} was passed"
            )
        return _fresh("new", cls.dtype, args)


def _tensor_type(name, dtype):
    return tensortype(f"{name}Tensor", (), {
        "__module__": "torch", "dtype": dtype, "layout": strided, "is_cuda": False,
        "is_sparse": False,
        "__doc__": f"Makes tensors of {dtype}, from sizes or from numbers; `torch.tensor` with "
                   f"`dtype=` does the same.\n\n>>> torch.{name}Tensor([1, 0])",
    })


def _dtype_of(kind):
    """The dtype that a type of tensors, its name or one of Python's types of numbers stands for."""
    if isinstance(kind, tensortype):
        return kind.dtype
    if isinstance(kind, str):
        name = kind[6:-6] if kind.startswith("torch.") and kind.endswith("Tensor") else None
        if name in _DTYPES:
            return _DTYPES[name]
        raise ValueError(f"invalid type: '{kind}'")
    if kind is TensorBase or isinstance(kind, type) and issubclass(kind, TensorBase):
        return _C.float32
    if kind in (float, int, bool):
        return {float: _C.float64, int: _C.int64, bool: _C.bool}[kind]
    raise TypeError("dtype must be a type, str, or dtype object")


class TypedStorage:
    """The row of elements that a tensor and its views share.

    >>> torch.ones(3).storage().tolist()
    """

    __module__ = "torch.storage"
    dtype = None

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None):
        self._tensor = None
        self.dtype = dtype or type(self).dtype or _C.float32
        if isinstance(wrap_storage, UntypedStorage):
            whole = wrap_storage._tensor
            whole = whole if whole.dtype is self.dtype else whole.reshape(-1).view(self.dtype)
        elif args and isinstance(args[0], TensorBase):
            whole = args[0].detach()
            self.dtype = whole.dtype
        else:
            whole = _fresh("new", self.dtype, args)
        n = whole._storage_bytes() // whole.element_size()
        self._tensor = whole.as_strided((n,), (1,), 0) if n else whole.reshape(-1)

    def untyped(self):
        """The same memory as bytes. >>> torch.ones(2).storage().untyped().nbytes()"""
        return UntypedStorage(self._tensor)

    def __len__(self):
        return self._tensor.numel()

    def size(self):
        """How many elements it has. >>> torch.ones(2).storage().size()"""
        return self._tensor.numel()

    def nbytes(self):
        """How many bytes it has. >>> torch.ones(2).storage().nbytes()"""
        return self._tensor._storage_bytes()

    def element_size(self):
        """How many bytes one element takes. >>> torch.ones(2).storage().element_size()"""
        return self.dtype.itemsize

    def data_ptr(self):
        """Where the first byte is: equal for tensors that share their memory.
        >>> x = torch.ones(2)
        >>> x.storage().data_ptr() == x.data_ptr()"""
        return self._tensor.data_ptr()

    def tolist(self):
        """The elements as a list. >>> torch.ones(2).storage().tolist()"""
        return self._tensor.tolist()

    def clone(self):
        """A copy. >>> torch.ones(2).storage().clone().tolist()"""
        return type(self)(self._tensor.clone())

    def copy_(self, source, non_blocking=None):
        """Writes the elements of another storage.
        >>> torch.ones(2).storage().copy_(torch.zeros(2).storage()).tolist()"""
        self._tensor.copy_(source._tensor)
        return self

    def fill_(self, value):
        """Writes one number everywhere. >>> torch.ones(2).storage().fill_(3).tolist()"""
        self._tensor.fill_(value)
        return self

    @property
    def device(self):
        """Where it is. >>> torch.ones(2).storage().device"""
        return self._tensor.device

    @property
    def is_cuda(self):
        """Whether it is on a CUDA device. >>> torch.ones(2).storage().is_cuda"""
        return self._tensor.is_cuda

    def __reduce_ex__(self, protocol):
        from glowgrad import _legacy_files, _utils

        return _utils._load_from_bytes, (_legacy_files.dumps(self),)

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise TypeError("a storage is sliced as a tensor: x.flatten()[…]")
        return self._tensor[index].item()

    def __setitem__(self, index, value):
        self._tensor[index] = value

    def __repr__(self):
        lines = "\n ".join(map(str, self.tolist()))
        return (
            f" {lines}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of "
            f"size {len(self)}]"
        )


def _storage_type(name, dtype):
    return type(f"{name}Storage", (TypedStorage,), {
        "__module__": "torch", "dtype": dtype,
        "__doc__": f"A row of elements of {dtype}.\n\n>>> torch.{name}Storage([1, 0]).tolist()",
    })


for _name, _dtype in _DTYPES.items():
    globals()[f"{_name}Tensor"] = _tensor_type(_name, _dtype)
    globals()[f"{_name}Storage"] = _storage_type(_name, _dtype)
del _name, _dtype
Storage = globals()["FloatStorage"]
