"""The class `np.ndarray`. Its numbers and its work are a tensor's; what is written in one is in
the other."""

import _glowgrad as _C
import numpy as np
from numpy._types import BOOL, BY_TORCH, _dtype, _made, generic

_TensorBase = _C.TensorBase


class ndarray:
    """An array: numbers of one type in a shape. >>> np.ndarray((2, 3)).shape"""

    __slots__ = ("_t",)
    __hash__ = None
    __array_priority__ = 0.0
    __module__ = "numpy"

    def __new__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        if buffer is not None:
            raise NotImplementedError("ndarray(buffer=…): write np.frombuffer(bytes, dtype)")
        return np.zeros(shape, dtype)

    @property
    def _glowgrad_tensor(self):
        """A tensor of its own on the same memory."""
        return _C.quietly(self._t.detach)

    @property
    def dtype(self):
        """The type of the elements. >>> np.zeros(3).dtype"""
        return BY_TORCH[self._t.dtype]

    @property
    def shape(self):
        """How many elements there are along each axis. >>> np.zeros((2, 3)).shape"""
        return tuple(self._t.shape)

    @shape.setter
    def shape(self, shape):
        self._t = self.reshape(shape)._t

    @property
    def ndim(self):
        """How many axes the array has. >>> np.zeros((2, 3)).ndim"""
        return self._t.ndim

    @property
    def size(self):
        """How many elements the array has. >>> np.zeros((2, 3)).size"""
        return self._t.numel()

    @property
    def itemsize(self):
        """How many bytes one element takes. >>> np.zeros(3).itemsize"""
        return self.dtype.itemsize

    @property
    def nbytes(self):
        """How many bytes the elements take. >>> np.zeros(3).nbytes"""
        return self._t.numel() * self.dtype.itemsize

    @property
    def strides(self):
        """Steps in bytes along each axis. >>> np.zeros((2, 3)).strides"""
        return tuple([step * self.dtype.itemsize for step in self._t._stride()])

    @property
    def T(self):
        """The array with its axes in reverse order. >>> np.zeros((2, 3)).T.shape"""
        return self.transpose()

    @property
    def mT(self):
        """The array with its last two axes swapped. >>> np.zeros((2, 3)).mT.shape"""
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.swapaxes(-1, -2)

    @property
    def real(self):
        """The array itself: numbers are real. >>> np.zeros(3).real"""
        return self

    @property
    def imag(self):
        """Zeros: numbers are real. >>> np.ones(3).imag"""
        return np.zeros_like(self)

    @property
    def base(self):
        """The array itself where its memory is also another's, else None. >>> np.zeros(3).base"""
        return self if self._t._storage_bytes() != self.nbytes else None

    @property
    def flat(self):
        """The elements one by one. >>> np.zeros((2, 3)).flat[4]"""
        return np.flatiter(self)

    @flat.setter
    def flat(self, value):
        np.flatiter(self)[:] = value

    @property
    def flags(self):
        """How the array lies in memory. >>> np.zeros(3).flags.c_contiguous"""
        return np.flagsobj(self)

    @property
    def device(self):
        """Where arrays are: the CPU. >>> np.zeros(3).device"""
        return "cpu"

    # Elements

    def __len__(self):
        if not self._t.ndim:
            raise TypeError("len() of unsized object")
        return self._t.shape[0]

    def __getitem__(self, index):
        if type(index) is int and self._t.ndim:
            try:
                return result(self._t[index])
            except IndexError as error:
                raise _refused(error, (index,), self._t.shape) from None
        part = get(self._t, index)
        parts = index if type(index) is tuple else (index,)
        if part.ndim or any([each is Ellipsis for each in parts]):
            return wrap(part)
        return result(part)

    def __setitem__(self, index, value):
        if type(index) is int and type(value) is float and self._t.dtype.is_floating_point:
            try:
                self._t[index] = value
                return
            except IndexError as error:
                raise _refused(error, (index,), self._t.shape) from None
        put(self._t, index, value)

    def __delitem__(self, index):
        raise ValueError("cannot delete array elements")

    def __iter__(self):
        if not self._t.ndim:
            raise TypeError("iteration over a 0-d array")
        return self._rows()

    def _rows(self):
        if self._t.ndim > 1:
            for i in range(len(self)):
                yield self[i]
            return
        kind, version, values = self.dtype, self._t._version, self._t.tolist()
        for i in range(len(values)):
            if self._t._version != version:
                version, values = self._t._version, self._t.tolist()
            yield _made(kind, values[i])

    def __contains__(self, value):
        return bool(np.any(self == value))

    def item(self, *index):
        """An element as Python's number. >>> np.array([1.5, 2.5]).item(1)"""
        if not index:
            if self.size != 1:
                raise ValueError("can only convert an array of size 1 to a Python scalar")
            return self._t.item()
        if len(index) == 1 and not isinstance(index[0], tuple):
            return self._t.reshape(-1)[index[0]].item()
        return self._t[index[0] if len(index) == 1 else index].item()

    def tolist(self):
        """The elements as Python's numbers in lists. >>> np.eye(2).tolist()"""
        return self._t.tolist()

    def tobytes(self, order="C"):
        """The bytes of the elements, row by row. >>> len(np.zeros(3).tobytes())"""
        return self._t._bytes()

    def tofile(self, fid, sep="", format="%s"):
        """Writes the bytes of the elements into a file, or a text with a separator.
        >>> np.ndarray.tofile"""
        from numpy._files import tofile

        tofile(self, fid, sep, format)

    def fill(self, value):
        """Writes one number everywhere. >>> np.zeros(3).fill(7)"""
        self[...] = value

    # The same numbers in another shape or type

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        """A copy with another type of elements. >>> np.array([1.7, -1.7]).astype(int)"""
        kind = _dtype(dtype)
        if not np.can_cast(self.dtype, kind, casting):
            raise TypeError(
                f"Cannot cast array data from {self.dtype!r} to {kind!r} according to the rule "
                f"'{casting}'"
            )
        if kind is self.dtype:
            return wrap(self._t.clone()) if copy else self
        return wrap(self._t._to(kind.torch))

    def copy(self, order="C"):
        """An array of its own with the same numbers. >>> np.zeros(3).copy()"""
        return wrap(self._t.clone())

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        # What NumPy writes, so that it reads these pickles (`_core/multiarray.py`).
        from numpy._core.multiarray import _reconstruct

        state = (1, self.shape, self.dtype, False, self.tobytes())
        return _reconstruct, (ndarray, (0,), b"b"), state

    def __setstate__(self, state):
        from numpy._core.multiarray import array_of

        *_, shape, dtype, columns_first, data = state
        self._t = array_of(data, dtype, shape, columns_first)._t

    def view(self, dtype=None, type=None):
        """The same memory, read as another type. >>> np.zeros(2, np.int32).view(np.float32)"""
        if dtype is None or dtype is ndarray:
            return wrap(_C.quietly(self._t.detach))
        return wrap(self._t._view_dtype(_dtype(dtype).torch))

    def reshape(self, *shape, order="C", copy=None):
        """The elements in another shape. >>> np.arange(6).reshape(2, 3)"""
        shape = shape[0] if len(shape) == 1 else shape
        return np.reshape(self, shape, order)

    def ravel(self, order="C"):
        """The elements in one dimension. >>> np.eye(2).ravel()"""
        return self.reshape(-1, order=order)

    def flatten(self, order="C"):
        """A copy of the elements in one dimension. >>> np.eye(2).flatten()"""
        return wrap(self.reshape(-1, order=order)._t.clone())

    def transpose(self, *axes):
        """The array with its axes in another order. >>> np.zeros((2, 3)).transpose(1, 0).shape"""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            axes = axes[0]
        return np.transpose(self, axes or None)

    def conj(self):
        """The array itself: numbers are real. >>> np.ones(2).conj()"""
        return self

    conjugate = conj

    # In place

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Sorts the array itself. >>> np.array([3, 1, 2]).sort()"""
        self._t.copy_(np.sort(self, axis)._t)

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Puts what belongs at a place there, smaller numbers before.
        >>> np.array([3, 1, 2]).partition(1)"""
        self.sort(axis)

    def put(self, indices, values, mode="raise"):
        """Writes values at indices of the flat array. >>> np.zeros(3).put([0, 2], 1.0)"""
        np.put(self, indices, values, mode)

    def resize(self, *shape, refcheck=True):
        """Not here: an array keeps its size. >>> np.resize(np.arange(3), (2, 3))"""
        raise NotImplementedError(
            "resize: an array keeps its size; np.resize(a, shape) makes another"
        )

    # As Python's number

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()" if self.size else
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check "
                "that an array is not empty."
            )
        return _python_bool(self._t.item())

    def __float__(self):
        return float(self._only())

    def __int__(self):
        return int(self._only())

    def _only(self):
        if self._t.ndim:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return self._t.item()

    def __index__(self):
        if self._t.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return self._t.item()

    def __format__(self, spec):
        if self._t.ndim and spec:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        return format(self._t.item(), spec) if spec else str(self)

    def __repr__(self):
        return np.array_repr(self)

    def __str__(self):
        return np.array_str(self)

    def __array__(self, dtype=None, copy=None):
        return self if dtype is None else self.astype(dtype)

    def __getattr__(self, name):
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")

    # Arithmetic

    def __neg__(self):
        return np.negative(self)

    def __pos__(self):
        return np.positive(self)

    def __abs__(self):
        return np.absolute(self)

    def __invert__(self):
        return np.invert(self)

    def __eq__(self, other):
        if _is_no_number(other):
            return NotImplemented if _has_own(other) else np.zeros(self.shape, BOOL)
        return np.equal(self, other)

    def __ne__(self, other):
        if _is_no_number(other):
            return NotImplemented if _has_own(other) else np.ones(self.shape, BOOL)
        return np.not_equal(self, other)

    def __divmod__(self, other):
        return np.floor_divide(self, other), np.remainder(self, other)

    def __rdivmod__(self, other):
        return np.floor_divide(other, self), np.remainder(other, self)

    def __pow__(self, other, modulus=None):
        return np.power(self, other)

    def __rpow__(self, other, modulus=None):
        return _answer(np.power, self, other)


_python_bool = type(1 == 1)


def _is_no_number(other):
    return other is None or isinstance(other, (str, dict, set)) or _strange(other)


def _has_own(other):
    """Whether an object says itself what it equals."""
    if other is None or isinstance(other, (str, dict, set)):
        return False
    return type(other).__eq__ is not object.__eq__


def _strange(other):
    """Whether an operand is none that can become an array: its own operator answers then."""
    return not isinstance(
        other, (ndarray, generic, int, float, list, tuple, range, _TensorBase)
    ) and not hasattr(other, "__array__")


def _answer(function, self, other):
    """`other` op `self`."""
    if _strange(other):
        return NotImplemented
    return function(other, self)


def _operators(name, function):
    def method(self, other):
        if _strange(other):
            return NotImplemented
        return getattr(np, function)(self, other)

    def turned(self, other):
        return _answer(getattr(np, function), self, other)

    def into(self, other):
        if _strange(other):
            return NotImplemented
        return getattr(np, function)(self, other, out=self)

    setattr(ndarray, f"__{name}__", method)
    setattr(ndarray, f"__r{name}__", turned)
    setattr(ndarray, f"__i{name}__", into)


for _name, _function in (
    ("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"),
    ("mod", "remainder"),
    ("floordiv", "floor_divide"), ("and", "bitwise_and"), ("or", "bitwise_or"),
    ("xor", "bitwise_xor"),
    ("lshift", "left_shift"), ("rshift", "right_shift"), ("matmul", "matmul"),
):
    _operators(_name, _function)
ndarray.__ipow__ = lambda self, other: np.power(self, other, out=self)


def _comparison(function):
    def method(self, other):
        if _strange(other):
            return NotImplemented
        return getattr(np, function)(self, other)

    return method


for _name in ("less", "less_equal", "greater", "greater_equal"):
    _short = {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}[_name]
    setattr(ndarray, f"__{_short}__", _comparison(_name))


def _by_function(name):
    """A method that is the function of its name."""

    def method(self, *args, **kwargs):
        return getattr(np, name)(self, *args, **kwargs)

    method.__name__, method.__qualname__ = name, f"ndarray.{name}"
    method.__doc__ = f"As `np.{name}` of the array."
    return method


for _name in (
    "all any argmax argmin argpartition argsort choose clip compress cumprod cumsum diagonal dot "
    "max mean min nonzero prod ptp repeat round searchsorted squeeze std sum swapaxes take trace "
    "var"
).split():
    if _name != "ptp":
        setattr(ndarray, _name, _by_function(_name))

from numpy._core import _refused, get, put, quiet_class, result, wrap

quiet_class(
    ndarray,
    ("__getitem__", "__setitem__", "astype", "copy", "flatten", "item", "sort", "view"),
)
