"""Sorting, searching and counting: `np.sort`, `np.where`, `np.unique`, `np.histogram` and their
like."""

import builtins

import _glowgrad as _C
import numpy as np
from numpy._core import asarray, normal_axis, on_cpu, result, tensor_of, wrap
from numpy._ndarray import ndarray
from numpy._types import BOOL, BY_TORCH, FLOAT64, INT64, promote_types
from numpy._ufunc import _WEAK, broadcast_shape, weakly

_TensorBase = _C.TensorBase


def _along(a, axis):
    t = tensor_of(a)
    if axis is None:
        return t.reshape(-1), 0
    return t, normal_axis(axis, t.ndim)


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """A sorted copy. >>> np.sort([3, 1, 2])"""
    t, axis = _along(a, axis)
    if t.dtype is _C.bool:
        return wrap(_C.sort(t._to(_C.uint8), axis)[0]._to(_C.bool))
    return wrap(_C.sort(t, axis)[0])


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The indices that sort an array; equal elements keep their order. >>> np.argsort([3, 1, 2])"""
    t, axis = _along(a, axis)
    t = t._to(_C.uint8) if t.dtype is _C.bool else t
    return wrap(_C.argsort(t, dim=axis, stable=True))


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy with what belongs at a place there, smaller numbers before.
    >>> np.partition([3, 1, 2], 1)"""
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The indices of such a copy. >>> np.argpartition([3, 1, 2], 1)"""
    return argsort(a, axis)


def lexsort(keys, axis=-1):
    """The indices that sort by several keys, the last one first.
    >>> np.lexsort(([1, 0, 0], [1, 1, 0]))"""
    found = None
    for key in keys:
        key = asarray(key)
        found = argsort(key) if found is None else found[argsort(key[found])]
    return found


def where(condition, x=None, y=None, /):
    """x where the condition holds, else y; alone, the indices where it holds.
    >>> np.where([True, False], 1, 2)"""
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    found = None
    parts = [part if type(part) in _WEAK else tensor_of(part) for part in (x, y)]
    strong = [BY_TORCH[part.dtype] for part in parts if isinstance(part, _TensorBase)]
    weak = [type(part) for part in parts if type(part) in _WEAK]
    if strong:
        found = strong[0] if len(strong) == 1 else promote_types(*strong)
        for kind in weak:
            found = weakly(found, kind)
    else:
        found = np.result_type(x, y)
    parts = [
        part._to(found.torch) if isinstance(part, _TensorBase) else tensor_of(part,
            found) for part in parts
    ]
    mask = tensor_of(condition, BOOL)
    broadcast_shape([mask.shape, parts[0].shape, parts[1].shape])
    chosen = wrap(_C.where(mask, *parts))
    return chosen


def nonzero(a):
    """The indices of what is not 0, one array for each axis. >>> np.nonzero([[1, 0], [0, 1]])"""
    t = tensor_of(a)
    if not t.ndim:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead."
        )
    return tuple([wrap(part) for part in _C.nonzero_tuple(t)])


def argwhere(a):
    """The indices of what is not 0, one row for each. >>> np.argwhere([[1, 0], [0, 1]])"""
    return wrap(_C.nonzero(tensor_of(a)))


def flatnonzero(a):
    """The places of what is not 0 in the flat array. >>> np.flatnonzero([[1, 0], [0, 1]])"""
    return nonzero(asarray(a).ravel())[0]


# Choosing


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at indices along an axis. >>> np.take([10, 20, 30], [0, 2])"""
    t, axis = _along(a, axis)
    index = asarray(indices)
    n = t.shape[axis]
    if mode == "wrap":
        index = np.remainder(index, n)
    elif mode == "clip":
        index = np.clip(index, 0, n - 1)
    found = wrap(t)[(slice(None),) * axis + (index,)]
    if out is None:
        return found
    out[...] = found
    return out


def take_along_axis(arr, indices, axis=-1):
    """The elements at indices, one array of them for each row.
    >>> np.take_along_axis(np.eye(2), np.array([[1], [0]]), 1)"""
    t, axis = _along(arr, axis)
    index = tensor_of(indices)._to(_C.int64)
    if index.ndim != t.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    index = _C.where(index < 0, index + t.shape[axis], index)
    shape = [
        index.shape[d] if d == axis else builtins.max(t.shape[d], index.shape[d])
        for d in range(t.ndim)
    ]
    wide = [t.shape[d] if d == axis else shape[d] for d in range(t.ndim)]
    return wrap(_C.gather(t.expand(wide), axis, index.expand(shape)))


def put_along_axis(arr, indices, values, axis):
    """Writes at indices, one array of them for each row.
    >>> np.put_along_axis(np.eye(2), np.array([[1], [0]]), 5, 1)"""
    t, axis = _along(arr, axis)
    index = tensor_of(indices)._to(_C.int64)
    shape = [index.shape[d] if d == axis else t.shape[d] for d in range(t.ndim)]
    index = index.expand(shape)
    t.copy_(_C.scatter(t, axis, index, tensor_of(values)._to(t.dtype).expand(shape)))


def put(a, ind, v, mode="raise"):
    """Writes at places of the flat array. >>> np.put(np.zeros(3), [0, 2], 1.0)"""
    index = asarray(ind).ravel()
    values = np.resize(v, index.shape)
    flat = a.reshape(-1)
    flat[index] = values
    a._t.copy_(flat._t.reshape(a.shape))


def place(arr, mask, vals):
    """Writes values one after the other where a mask holds.
    >>> np.place(np.zeros(3), [True, False, True], [1, 2])"""
    put(arr, flatnonzero(mask), vals)


def putmask(a, mask, values):
    """Writes the values of the same places where a mask holds.
    >>> np.putmask(np.zeros(3), [True, False, True], 7)"""
    a[...] = where(mask, np.resize(values, a.shape), a)


def copyto(dst, src, casting="same_kind", where=True):
    """Writes an array into another. >>> np.copyto(np.zeros(3), [1, 2, 3])"""
    if where is True:
        dst[...] = src
    else:
        dst[...] = np.where(where, asarray(src, dst.dtype), dst)


def fill_diagonal(a, val, wrap=False):
    """Writes on the diagonal. >>> np.fill_diagonal(np.zeros((2, 2)), 1)"""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    n = builtins.min(a.shape)
    a[(np.arange(n),) * a.ndim] = np.resize(val, n) if np.ndim(val) else val


def compress(condition, a, axis=None, out=None):
    """The elements along an axis where a mask holds. >>> np.compress([True, False], [1, 2])"""
    return take(a, flatnonzero(condition), axis, out)


def extract(condition, arr):
    """The elements where a condition holds. >>> np.extract([True, False], [1, 2])"""
    return take(np.ravel(arr), flatnonzero(condition))


def choose(a, choices, out=None, mode="raise"):
    """For each element of a the one of that number among arrays.
    >>> np.choose([1, 0], [[1, 2], [3, 4]])"""
    rows = np.broadcast_arrays(a, *choices)
    found = take_along_axis(np.stack(rows[1:]), rows[0][None], 0)[0]
    return found


def select(condlist, choicelist, default=0):
    """The first choice whose condition holds. >>> np.select([[True, False]], [[1, 2]], 7)"""
    found = asarray(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        found = where(condition, choice, found)
    return found


def piecewise(x, condlist, funclist, *args, **kw):
    """A function made of pieces.
    >>> np.piecewise(np.array([-1.0, 2.0]), [np.array([True, False])], [0, 1])"""
    x = asarray(x)
    conditions = [
        asarray(each, bool) for each in (condlist if isinstance(condlist, list) else [condlist])
    ]
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for each in conditions[1:]:
            rest = rest | each
        conditions.append(~rest)
    found = np.zeros_like(x)
    for condition, function in zip(conditions, funclist):
        found[condition] = function(x[condition], *args, **kw) if callable(function) else function
    return found


# Searching and counting


def searchsorted(a, v, side="left", sorter=None):
    """Where values belong in a sorted array. >>> np.searchsorted([1, 2, 4], 3)"""
    t = tensor_of(a)
    if sorter is not None:
        t = t[tensor_of(sorter)]
    value = tensor_of(v)
    kind = promote_types(BY_TORCH[t.dtype], BY_TORCH[value.dtype])
    found = _C.searchsorted(
        t._to(kind.torch), value._to(kind.torch).contiguous(), right=side == "right"
    )
    return result(found)


def digitize(x, bins, right=False):
    """The number of the bin of each element. >>> np.digitize([0.5, 2.5], [0, 1, 2])"""
    bins = asarray(bins)
    if len(bins) > 1 and bins[0] > bins[-1]:
        return len(bins) - searchsorted(bins[::-1], x, "left" if right else "right")
    return searchsorted(bins, x, "left" if right else "right")


def bincount(x, /, weights=None, minlength=0):
    """How often each whole number is there. >>> np.bincount([0, 1, 1, 3])"""
    t = tensor_of(x)
    if t.dtype.is_floating_point and isinstance(x, ndarray):
        raise TypeError(
            "Cannot cast array data from dtype('float64') to dtype('int64') according to the rule "
            "'safe'"
        )
    if t.numel() and t.min().item() < 0:
        raise ValueError("'list' argument must have no negative elements")
    t = t._to(_C.int64)
    if not t.numel():
        return np.zeros(minlength, INT64 if weights is None else FLOAT64)
    if weights is None:
        return wrap(_C.bincount(t, minlength=minlength))
    return wrap(_C.bincount(t, tensor_of(weights, FLOAT64), minlength))


_SETS = "UniqueCountsResult", "UniqueInverseResult"


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
           equal_nan=True, sorted=True):
    """The different elements, in order. >>> np.unique([3, 1, 3], return_counts=True)"""
    t = tensor_of(ar)
    if axis is not None:
        return _unique_rows(
            t, normal_axis(axis, t.ndim), return_index, return_inverse, return_counts
        )
    shape, t = list(t.shape), t.reshape(-1)
    kind = t.dtype
    t = t._to(_C.uint8) if kind is _C.bool else t
    order = _C.argsort(t, stable=True)
    t = t[order]
    new = t[1:] != t[:-1]
    if t.dtype.is_floating_point and equal_nan:
        new = new & ~(_C.isnan(t[1:]) & _C.isnan(t[:-1]))
    first = (
        _C.cat([on_cpu(_C.full, (builtins.min(1, len(t)),), True, _C.bool, False), new])
        if len(t)
        else new
    )
    places = _C.nonzero_tuple(first)[0] if len(t) else order
    return _found_unique(
        t[places]._to(kind),
        order,
        first,
        places,
        shape,
        return_index,
        return_inverse,
        return_counts,
    )


def _found_unique(values, order, first, places, shape, return_index, return_inverse, return_counts):
    found = [wrap(values)]
    n = len(order)
    if return_index:
        found.append(wrap(order[places]))
    if return_inverse:
        rank = _C.cumsum(first._to(_C.int64), 0) - 1 if n else order
        back = _C.scatter(on_cpu(_C.full, (n,), 0, _C.int64, False), 0, order, rank) if n else rank
        found.append(wrap(back.reshape(shape)))
    if return_counts:
        ends = _C.cat([places, on_cpu(_C.from_data, [n], _C.int64, False)])
        found.append(wrap(ends[1:] - ends[:-1]))
    return found[0] if len(found) == 1 else tuple(found)


def _unique_rows(t, axis, return_index, return_inverse, return_counts):
    rows = t.movedim(axis, 0)
    n = rows.shape[0]
    flat = rows.reshape([n, -1]) if rows.numel() else rows.reshape([n, 0])
    order = lexsort([wrap(column) for column in reversed(_C.unbind(flat, 1))])._t
    flat = flat[order]
    first = _C.cat([on_cpu(_C.full, (1,), True, _C.bool, False), (flat[1:] != flat[:-1]).any(1)])
    places = _C.nonzero_tuple(first)[0]
    values = rows[order][places].movedim(0, axis)
    return _found_unique(
        values, order, first, places, [n], return_index, return_inverse, return_counts
    )


def unique_values(x, /):
    """The different elements. >>> np.unique_values([3, 1, 3])"""
    return unique(x)


def unique_counts(x, /):
    """The different elements and how often each is there. >>> np.unique_counts([3, 1, 3])"""
    return unique(x, return_counts=True)


def unique_inverse(x, /):
    """The different elements, and where each element is among them.
    >>> np.unique_inverse([3, 1, 3])"""
    return unique(x, return_inverse=True)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Where elements are among others. >>> np.isin([1, 2, 3], [2, 3])"""
    a, others = asarray(element), unique(test_elements)
    if not len(others):
        return np.full(a.shape, invert)
    at = np.clip(searchsorted(others, a), 0, len(others) - 1)
    return (others[at] != a) if invert else (others[at] == a)


def union1d(ar1, ar2):
    """What is in one of both. >>> np.union1d([1, 2], [2, 3])"""
    return unique(np.concatenate([np.ravel(ar1), np.ravel(ar2)]))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """What is in both. >>> np.intersect1d([1, 2], [2, 3])"""
    a, ia = unique(ar1, return_index=True)
    b, ib = unique(ar2, return_index=True)
    both = isin(a, b)
    found = a[both]
    return (found, ia[both], ib[isin(b, a)]) if return_indices else found


def setdiff1d(ar1, ar2, assume_unique=False):
    """What is in the first alone. >>> np.setdiff1d([1, 2], [2, 3])"""
    a = asarray(ar1).ravel() if assume_unique else unique(ar1)
    return a[isin(a, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """What is in just one of both. >>> np.setxor1d([1, 2], [2, 3])"""
    return union1d(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1))


# Histograms


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bars of a histogram. >>> np.histogram_bin_edges([1, 2, 3], 2)"""
    a = asarray(a).ravel()
    if isinstance(bins, str):
        bins = _bin_count(a, bins)
    if np.ndim(bins):
        edges = asarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if range is not None:
        low, high = range
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    elif a.size:
        low, high = a.min(), a.max()
    else:
        low, high = 0, 1
    if not (np.isfinite(low) and np.isfinite(high)):
        words = "supplied" if range is not None else "autodetected"
        raise ValueError(f"{words} range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, int(bins) + 1)


def _bin_count(a, rule):
    n = a.size
    if not n:
        return 1
    spread = float(np.ptp(a))
    quarter, three = np.percentile(a, [25, 75])
    widths = {
        "sturges": spread / (np.log2(n) + 1), "sqrt": spread / np.sqrt(n),
        "rice": spread / (2.0 * n ** (1 / 3)),
        "fd": 2.0 * (three - quarter) / n ** (1 / 3),
        "scott": (24.0 * np.pi**0.5 / n) ** (1 / 3) * np.std(a),
    }
    if rule == "auto":
        width = builtins.min(widths["fd"], widths["sturges"]) if widths["fd"] else widths["sturges"]
    elif rule in widths:
        width = widths[rule]
    else:
        raise ValueError(f"'{rule}' is not a valid estimator for `bins`")
    return int(np.ceil(spread / width)) if width else 1


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements are between each two edges, and the edges.
    >>> np.histogram([1, 2, 1], 2)"""
    a = asarray(a).ravel()
    edges = histogram_bin_edges(a, bins, range, weights)
    counts = _counts(a, edges, weights)
    if density:
        widths = asarray(np.diff(edges), float)
        return counts / widths / counts.sum(), edges
    return counts, edges


def _counts(a, edges, weights):
    """How many elements are between each two edges; the last edge belongs to the last."""
    if weights is not None:
        weights = asarray(weights).ravel()
        at = searchsorted(edges, a, "right") - 1
        at = where(a == edges[-1], len(edges) - 2, at)
        inside = (at >= 0) & (at < len(edges) - 1)
        found = bincount(at[inside], weights[inside], len(edges) - 1)
        return found if weights.dtype.kind == "f" else found.astype(weights.dtype)
    order = sort(a)
    ends = np.concatenate(
        [searchsorted(order, edges[:-1], "left"), searchsorted(order, edges[-1:], "right")]
    )
    return np.diff(ends)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points are in each cell of a grid, and its edges.
    >>> np.histogram2d([0, 1], [0, 1], 2)[0]"""
    many = isinstance(bins, (list, tuple)) and len(bins) == 2
    bx, by = bins if many else (bins, bins)
    rx, ry = range if range is not None else (None, None)
    ex, ey = histogram_bin_edges(x, bx, rx), histogram_bin_edges(y, by, ry)
    places = []
    for values, edges in ((asarray(x).ravel(), ex), (asarray(y).ravel(), ey)):
        at = searchsorted(edges, values, "right") - 1
        places.append(where(values == edges[-1], len(edges) - 2, at))
    nx, ny = len(ex) - 1, len(ey) - 1
    inside = (places[0] >= 0) & (places[0] < nx) & (places[1] >= 0) & (places[1] < ny)
    chosen = None if weights is None else asarray(weights).ravel()[inside]
    found = (
        bincount((places[0] * ny + places[1])[inside], chosen, nx * ny)
        .reshape(nx, ny)
        .astype(float)
    )
    if density:
        found = found / found.sum() / np.diff(ex)[:, None] / np.diff(ey)
    return found, ex, ey


# Comparing


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where elements are close. >>> np.isclose([1.0, 2.0], [1.0, 2.1])"""
    a, b = asarray(a), asarray(b)
    b = b if b.dtype.kind == "f" else b.astype(float)
    near = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b) | (a == b)
    return near | np.isnan(a) & np.isnan(b) if equal_nan else near


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close. >>> np.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])"""
    return builtins.bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have the same shape and elements. >>> np.array_equal([1, 2], [1, 2])"""
    a, b = asarray(a1), asarray(a2)
    if a.shape != b.shape:
        return False
    same = a == b
    return builtins.bool(np.all(same | np.isnan(a) & np.isnan(b) if equal_nan else same))


def array_equiv(a1, a2):
    """Whether two arrays have the same elements once broadcast. >>> np.array_equiv([1, 1], 1)"""
    try:
        return builtins.bool(np.all(asarray(a1) == asarray(a2)))
    except ValueError:
        return False
