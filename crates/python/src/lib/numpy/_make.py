"""What makes arrays: `np.zeros`, `np.arange`, `np.meshgrid` and their like."""

import math
import operator

import _glowgrad as _C
import numpy as np
from numpy._core import array, asarray, on_cpu, result, tensor_of, wrap
from numpy._ndarray import ndarray
from numpy._types import (
    BOOL,
    BY_TORCH,
    FLOAT64,
    _dtype,
    _made,
    _rounded,
    generic,
    result_type,
)

asanyarray = asarray


def sizes(shape):
    """A shape as a list of whole numbers."""
    if isinstance(shape, (list, tuple)) or isinstance(shape, ndarray) and shape.ndim:
        found = [operator.index(n) for n in shape]
    elif isinstance(shape, float):
        raise TypeError(f"expected a sequence of integers or a single integer, got '{shape}'")
    else:
        found = [operator.index(shape)]
    if any(n < 0 for n in found):
        raise ValueError("negative dimensions are not allowed")
    return found


def _filled(shape, value, dtype):
    return wrap(on_cpu(_C.full, sizes(shape), value, _dtype(dtype).torch, False))


def zeros(shape, dtype=float, order="C", *, device=None, like=None):
    """An array of zeros. >>> np.zeros((2, 3))"""
    return _filled(shape, 0, dtype)


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of ones. >>> np.ones((2, 3))"""
    return _filled(shape, 1, dtype)


def empty(shape, dtype=float, order="C", *, device=None, like=None):
    """An array to be filled; it holds zeros, since memory is never left as it was.
    >>> np.empty(3).shape"""
    return _filled(shape, 0, dtype)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array with one number everywhere. >>> np.full((2, 3), 7.0)"""
    value = tensor_of(fill_value, None if dtype is None else _dtype(dtype))
    return wrap(value.expand(sizes(shape)).clone())


def _like(a, dtype, shape, value):
    kind = asarray(a).dtype if dtype is None else _dtype(dtype)
    return _filled(np.shape(a) if shape is None else shape, value, kind)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros in the shape and type of another array. >>> np.zeros_like([1, 2])"""
    return _like(a, dtype, shape, 0)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones in the shape and type of another array. >>> np.ones_like([1, 2])"""
    return _like(a, dtype, shape, 1)


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array to be filled, in the shape and type of another. >>> np.empty_like([1, 2]).shape"""
    return _like(prototype, dtype, shape, 0)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """One number everywhere, in the shape and type of another array. >>> np.full_like([1, 2], 7)"""
    kind = asarray(a).dtype if dtype is None else dtype
    found = tensor_of(fill_value)._to(_dtype(kind).torch)
    return wrap(found.expand(sizes(np.shape(a) if shape is None else shape)).clone())


def arange(start, stop=None, step=None, dtype=None, *, device=None, like=None):
    """The numbers start, start + step, … up to stop, which is not included.
    >>> np.arange(0, 10, 2)"""
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    kind = result_type(start, stop, step) if dtype is None else _dtype(dtype)
    start, stop, step = (
        x.item() if isinstance(x, (ndarray, generic)) else x for x in (start, stop, step)
    )
    n = max(0, math.ceil((stop - start) / step))
    steps = on_cpu(_C.arange, 0, n, 1, _C.int64, False)
    if kind.kind == "f":
        # As NumPy counts: the difference of the first two, times the place.
        first = _rounded(float(start), kind)
        delta = _rounded(_rounded(start + step, kind) - first, kind)
        return wrap(steps._to(kind.torch) * delta + first)
    if isinstance(start, float) or isinstance(step, float):
        start, step = int(start), int(start + step) - int(start)
    return wrap((steps * step + start)._to(kind.torch))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` numbers from start to stop, evenly spaced. >>> np.linspace(0, 1, 5)"""
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    parts = num - 1 if endpoint else num
    a, b = tensor_of(start), tensor_of(stop)
    kind = np.promote_types(np.promote_types(BY_TORCH[a.dtype], BY_TORCH[b.dtype]), "f4")
    kind = FLOAT64 if kind.itemsize == 4 and BY_TORCH[a.dtype].kind != "f" else kind
    a, b = a._to(kind.torch), b._to(kind.torch)
    delta = b - a
    places = on_cpu(_C.arange, 0, num, 1, kind.torch, False)
    places = places.reshape([num] + [1] * delta.ndim)
    if parts > 0:
        step = delta / parts
        flat = (step == 0).any().item()
        found = places / parts * delta if flat else places * step
    else:
        step = delta * math.nan
        found = places * delta
    found = found + a
    if endpoint and num > 1:
        found[-1] = b
    if axis:
        found = found.movedim(0, axis)
    if dtype is not None:
        whole = _dtype(dtype)
        found = (_C.floor(found) if whole.kind in "iu" else found)._to(whole.torch)
    return (wrap(found), result(step)) if retstep else wrap(found)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`num` numbers from base**start to base**stop, each the same factor from the last.
    >>> np.logspace(0, 3, 4)"""
    found = np.power(base, linspace(start, stop, num, endpoint, axis=axis))
    return found if dtype is None else found.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers from start to stop, each the same factor from the last.
    >>> np.geomspace(1, 1000, 4)"""
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = -1.0 if start < 0 and stop < 0 else 1.0
    found = sign * logspace(np.log10(sign * start), np.log10(sign * stop), num, endpoint)
    if num:
        found[0] = start
        if num > 1 and endpoint:
            found[-1] = stop
    return found if dtype is None else found.astype(dtype)


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """A matrix with ones on a diagonal and zeros elsewhere. >>> np.eye(3)"""
    N, M = operator.index(N), operator.index(N if M is None else M)
    rows = on_cpu(_C.arange, 0, N, 1, _C.int64, False).reshape(N, 1)
    columns = on_cpu(_C.arange, 0, M, 1, _C.int64, False)
    return wrap((columns == rows + k)._to(_dtype(dtype).torch))


def identity(n, dtype=None, *, like=None):
    """A square matrix with ones on its diagonal. >>> np.identity(2)"""
    return eye(n, dtype=dtype)


def diag(v, k=0):
    """A matrix with these numbers on a diagonal, or the diagonal of a matrix.
    >>> np.diag([1, 2])"""
    v = asarray(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input must be 1- or 2-d.")
    return wrap(_C.diag(v._t, k))


def diagflat(v, k=0):
    """A matrix with all these numbers on a diagonal. >>> np.diagflat([[1, 2]])"""
    return diag(asarray(v).ravel(), k)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """Ones on and below a diagonal. >>> np.tri(3)"""
    return wrap(_C.tril(ones((N, N if M is None else M))._t, k)).astype(dtype)


def tril(m, k=0):
    """The part on and below a diagonal. >>> np.tril(np.ones((3, 3)))"""
    return wrap(_C.tril(asarray(m)._t, k))


def triu(m, k=0):
    """The part on and above a diagonal. >>> np.triu(np.ones((3, 3)))"""
    return wrap(_C.triu(asarray(m)._t, k))


def tril_indices(n, k=0, m=None):
    """The rows and columns on and below a diagonal. >>> np.tril_indices(2)"""
    return np.nonzero(tri(n, m, k, bool))


def triu_indices(n, k=0, m=None):
    """The rows and columns on and above a diagonal. >>> np.triu_indices(2)"""
    return np.nonzero(~tri(n, m, k - 1, bool))


def tril_indices_from(arr, k=0):
    """As `tril_indices` for an array. >>> np.tril_indices_from(np.eye(2))"""
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    """As `triu_indices` for an array. >>> np.triu_indices_from(np.eye(2))"""
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def diag_indices(n, ndim=2):
    """The indices of a diagonal. >>> np.diag_indices(2)"""
    return (arange(n),) * ndim


def mask_indices(n, mask_func, k=0):
    """The indices that a function such as `np.triu` keeps. >>> np.mask_indices(2, np.triu)"""
    return np.nonzero(mask_func(ones((n, n), int), k) != 0)


def vander(x, N=None, increasing=False):
    """The powers of numbers as columns. >>> np.vander([1, 2, 3])"""
    x = asarray(x)
    N = len(x) if N is None else N
    powers = arange(N) if increasing else arange(N - 1, -1, -1)
    return np.power(x[:, None], powers)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """The coordinates of a grid as arrays of its shape. >>> np.meshgrid([1, 2, 3], [4, 5])"""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    n = len(xi)
    axes = list(range(n))
    if indexing == "xy" and n > 1:
        axes[0], axes[1] = 1, 0
    parts = []
    for axis, x in zip(axes, xi):
        flat = tensor_of(x).reshape(-1)
        parts.append(flat.reshape([len(flat) if d == axis else 1 for d in range(n)]))
    if not sparse:
        shape = [max(part.shape[d] for part in parts) for d in range(n)]
        parts = [part.expand(shape).clone() for part in parts]
    return tuple([wrap(part) for part in parts])


def indices(dimensions, dtype=int, sparse=False):
    """The indices of a grid. >>> np.indices((2, 3)).shape"""
    grids = meshgrid(*[arange(n, dtype=dtype) for n in dimensions], indexing="ij", sparse=sparse)
    return grids if sparse else np.stack(grids)


def ix_(*args):
    """Indices that mean every pair of rows and columns. >>> np.eye(3)[np.ix_([0, 2], [0, 2])]"""
    parts = [asarray(arg) for arg in args]
    parts = [np.nonzero(part)[0] if part.dtype is BOOL else part for part in parts]
    n = len(parts)
    return tuple(
        [part.reshape([-1 if d == i else 1 for d in range(n)]) for i, part in enumerate(parts)]
    )


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """An array from a function of its indices. >>> np.fromfunction(lambda i, j: i + j, (2, 3))"""
    return function(*indices(shape, dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """An array of what an iterator gives. >>> np.fromiter(range(3), float)"""
    values = []
    for value in iter:
        if len(values) == count:
            break
        values.append(value)
    return array(values, dtype)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """An array of the numbers in bytes. >>> np.frombuffer(bytes([1, 0, 2, 0]), np.int16)"""
    return wrap(on_cpu(_C.frombuffer, buffer, _dtype(dtype).torch, count, offset))


def ascontiguousarray(a, dtype=None, *, like=None):
    """The array row by row in memory. >>> np.ascontiguousarray(np.ones((2, 3)).T).strides"""
    made = asarray(a, dtype)
    return (
        made
        if made._t.is_contiguous() and made.ndim
        else wrap(made._t.contiguous().reshape(made.shape or (1,)))
    )


def asfortranarray(a, dtype=None, *, like=None):
    """The array column by column in memory. >>> np.asfortranarray(np.ones((2, 3))).strides"""
    made = asarray(a, dtype)
    axes = list(range(made.ndim - 1, -1, -1))
    return wrap(made._t.permute(axes).contiguous().permute(axes)) if made.ndim > 1 else made


def asarray_chkfinite(a, dtype=None, order=None):
    """An array without NaN or infinity, else an error. >>> np.asarray_chkfinite([1, 2])"""
    made = asarray(a, dtype)
    if not np.isfinite(made).all():
        raise ValueError("array must not contain infs or NaNs")
    return made


def require(a, dtype=None, requirements=None, *, like=None):
    """The array, row by row in memory where "C" is asked for. >>> np.require([1, 2], float)"""
    return (
        ascontiguousarray(a, dtype)
        if requirements and "C" in str(requirements)
        else asarray(a, dtype)
    )


def copy(a, order="K", subok=False):
    """An array of its own with the same numbers. >>> np.copy([1, 2])"""
    return array(a)


class ndenumerate:
    """Indices and elements one by one. >>> list(np.ndenumerate(np.eye(2)))"""

    def __init__(self, arr):
        arr = asarray(arr)
        self._pairs = zip(ndindex(arr.shape), flatiter(arr))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._pairs)


class ndindex:
    """All indices of a shape, one by one. >>> list(np.ndindex(2, 2))"""

    def __init__(self, *shape):
        import itertools

        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        self._all = itertools.product(*[range(n) for n in shape])

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._all)


class flatiter:
    """The elements of an array one by one: `a.flat`. >>> list(np.eye(2).flat)"""

    __hash__ = None

    def __init__(self, array):
        self.base, self.index = array, 0

    def __len__(self):
        return self.base.size

    def __iter__(self):
        self.index = 0
        return self

    def __next__(self):
        if self.index == 0:
            self._values = self.base._t.reshape(-1).tolist()
        if self.index >= len(self._values):
            raise StopIteration
        self.index += 1
        return _made(self.base.dtype, self._values[self.index - 1])

    def __getitem__(self, index):
        return self.base.reshape(-1)[index]

    def __setitem__(self, index, value):
        flat = self.base.reshape(-1)
        if isinstance(index, slice):
            value = np.resize(value, flat[index].shape)
        flat[index] = value
        self.base._t.copy_(flat._t.reshape(self.base.shape))

    def __array__(self, dtype=None, copy=None):
        return self.copy()

    def copy(self):
        """The elements as an array. >>> np.eye(2).flat.copy()"""
        return self.base.flatten()


class flagsobj:
    """How an array lies in memory: `a.flags`. >>> np.zeros(3).flags"""

    def __init__(self, array):
        strides, step = [], 1
        for n in array.shape:
            strides.append(step)
            step *= n
        own = [stride for stride, n in zip(array._t._stride(), array.shape) if n > 1]
        self.c_contiguous = self.contiguous = array._t.is_contiguous()
        self.f_contiguous = own == [stride for stride, n in zip(strides, array.shape) if n > 1]
        self.owndata = array.base is None
        self.writeable, self.aligned = True, True

    def __getitem__(self, key):
        return getattr(self, key.lower())

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED")
        lines = [f"  {name} : {self[name]}\n" for name in names]
        return "".join(lines) + "  WRITEBACKIFCOPY : False\n"


class _Grid:
    """Grids by slices: `np.mgrid[0:3, 0:1:5j]`, and without repetition `np.ogrid`.
    >>> np.mgrid[0:2, 0:3].shape"""

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            return _range(key)
        grids = meshgrid(*[_range(part) for part in key], indexing="ij", sparse=self._sparse)
        return grids if self._sparse else np.stack(grids)


def _range(part):
    start, stop, step = part.start or 0, part.stop, part.step
    if isinstance(step, complex):
        return linspace(start, stop, int(abs(step)))
    return arange(start, stop, step)


class _Joined:
    """Arrays joined by an index: `np.r_[1:4, 0, 4]`, by columns `np.c_[a, b]`.
    >>> np.r_[1:4, 0, 4]"""

    def __init__(self, columns):
        self._columns = columns

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        parts = [_range(part) if isinstance(part, slice) else np.atleast_1d(part) for part in key]
        if self._columns:
            parts = [part.reshape(-1, 1) if part.ndim == 1 else part for part in parts]
        return np.concatenate(parts, -1 if self._columns else 0)


class _Index:
    """An index as a value: `np.s_[1:3, ::2]`. >>> np.s_[1:3]"""

    def __init__(self, tuples):
        self._tuples = tuples

    def __getitem__(self, key):
        return (key,) if self._tuples and not isinstance(key, tuple) else key


mgrid, ogrid = _Grid(False), _Grid(True)
r_, c_ = _Joined(False), _Joined(True)
s_, index_exp = _Index(False), _Index(True)
