"""One number of many: sums in NumPy's own order, means, extremes, medians, and what counts on.

Sums add as NumPy does, so that the last digit is the same: along the axis whose neighbours lie
next to each other in pairs of blocks of 128, along others one after the other.
"""

import builtins

import _glowgrad as _C
import numpy as np
from numpy._core import asarray, normal_axis, on_cpu, tensor_of
from numpy._types import BOOL, BY_TORCH, FLOAT16, FLOAT32, FLOAT64, INT64, UINT64, _dtype
from numpy._ufunc import _written

_f64 = _C.float64
_CHAIN = 256


def _axes(axis, ndim):
    """The axes of a reduction, counted from the front, without repetition."""
    if axis is None:
        return list(range(ndim))
    if not isinstance(axis, (tuple, list)):
        return [normal_axis(axis.__index__(), ndim)]
    found = [normal_axis(each, ndim) for each in axis]
    if len(set(found)) < len(found):
        raise ValueError("duplicate value in 'axis'")
    return found


def _kept(tensor, axes, keepdims):
    """A result with its axes back as ones of size 1."""
    if keepdims:
        for axis in sorted(axes):
            tensor = tensor.unsqueeze(axis)
    return tensor


def _in_order(t):
    """The sum along the first axis, one after the other."""
    n = t.shape[0]
    if n > 8 and t.dtype is _f64:
        return t.cumsum(0)[-1]
    if n > _CHAIN:
        return t.sum(0)
    found = t[0]
    for i in range(1, n):
        found = found + t[i]
    return found


def _in_pairs(t):
    """The sum along the last axis, in pairs of blocks."""
    n = t.shape[-1]
    if n < 8:
        return _in_order(t.movedim(-1, 0))
    if n <= 128:
        full = n - n % 8
        lanes = t[..., :full].unflatten(-1, (full // 8, 8))
        found = _in_order(lanes.movedim(-2, 0))
        for _ in range(3):
            found = found[..., 0::2] + found[..., 1::2]
        found = found[..., 0]
        for i in range(full, n):
            found = found + t[..., i]
        return found
    blocks = []
    _split(0, n, 0, blocks)
    return _joined(_block_sums(t, blocks), [depth for _, _, depth in blocks])


def _split(start, n, depth, blocks):
    if n <= 128:
        blocks.append((start, n, depth))
        return
    half = n // 2
    half -= half % 8
    _split(start, half, depth + 1, blocks)
    _split(start + half, n - half, depth + 1, blocks)


def _block_sums(t, blocks):
    parts, order = [], []
    for size in sorted({size for _, size, _ in blocks}):
        chosen = [i for i, block in enumerate(blocks) if block[1] == size]
        starts = [blocks[i][0] for i in chosen]
        if len(chosen) == len(blocks):
            rows = t.unflatten(-1, (len(chosen), size))
        else:
            first = on_cpu(_C.from_data, starts, _C.int64, False).reshape(-1, 1)
            index = first + on_cpu(_C.arange, 0, size, 1, _C.int64, False)
            rows = t.index_select(-1, index.reshape(-1)).unflatten(-1, (len(chosen), size))
        parts.append(_in_pairs(rows))
        order.extend(chosen)
    if len(parts) == 1:
        return parts[0]
    places = [0] * len(order)
    for at, i in enumerate(order):
        places[i] = at
    return _C.cat(parts, -1).index_select(-1, on_cpu(_C.from_data, places, _C.int64, False))


def _joined(sums, depths):
    """The sums of the blocks, two neighbours of the same depth at a time."""
    while len(depths) > 1:
        deepest = builtins.max(depths)
        index, new, i = [], [], 0
        left, right = [], []
        while i < len(depths):
            if depths[i] == deepest:
                index.append(len(depths) + len(left))
                left.append(i)
                right.append(i + 1)
                new.append(deepest - 1)
                i += 2
            else:
                index.append(i)
                new.append(depths[i])
                i += 1
        picks = [on_cpu(_C.from_data, each, _C.int64, False) for each in (left, right, index)]
        pairs = sums.index_select(-1, picks[0]) + sums.index_select(-1, picks[1])
        sums = _C.cat([sums, pairs], -1).index_select(-1, picks[2])
        depths = new
    return sums[..., 0]


def _few_in_pairs(values):
    """The sum of a list of floats, in the same order."""
    n = len(values)
    if n > 128:
        half = n // 2 - n // 2 % 8
        return _few_in_pairs(values[:half]) + _few_in_pairs(values[half:])
    full = n - n % 8
    if full:
        r = values[:8]
        for i in range(8, full):
            r[i % 8] += values[i]
        total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    else:
        total = -0.0
    for value in values[full:]:
        total += value
    return total + 0.0


# Of no more numbers the sum is Python's to add.
_FEW = 256


def _float_sum(t, axes):
    """The sum of floats along axes, in the order in which NumPy walks through memory."""
    if t.dtype is _C.float16:
        return _float_sum(t._to(_C.float32), axes)._to(_C.float16)
    n = t.numel()
    if n == 0:
        return t.sum(axes) if axes else t
    if n <= _FEW and len(axes) == t.ndim and t.dtype is _f64 and t.is_contiguous():
        return on_cpu(_C.full, (), _few_in_pairs(t.reshape(-1).tolist()), _f64, False)
    steps = t._stride()
    order = sorted(range(t.ndim), key=lambda d: -steps[d] if t.shape[d] > 1 else -(1 << 62))
    t = t.permute(order)
    steps, shape = [steps[d] for d in order], list(t.shape)
    reduced = [d in axes for d in order]
    kept = [d for d in order if d not in axes]
    # Neighbours that lie as one.
    d = len(shape) - 1
    while d > 0:
        if (
            reduced[d] == reduced[d - 1]
            and reduced[d]
            and (steps[d - 1] == steps[d] * shape[d] or shape[d - 1] == 1)
        ):
            t = t.flatten(d - 1, d)
            shape[d - 1:d + 1] = [shape[d - 1] * shape[d]]
            steps[d - 1:d + 1] = [steps[d]]
            reduced[d - 1:d + 1] = [True]
        d -= 1
    if reduced and reduced[-1]:
        t = _in_pairs(t)
        reduced.pop()
    while True in reduced:
        d = len(reduced) - 1 - reduced[::-1].index(True)
        # Outer axes come one after the other, the last of them the fastest.
        outer = [i for i, each in enumerate(reduced) if each]
        rest = [i for i, each in enumerate(reduced) if not each]
        t = t.permute(outer + rest)
        if len(outer) > 1:
            t = t.flatten(0, len(outer) - 1)
        t = _in_order(t)
        reduced = [False] * len(rest)
    back = sorted(range(len(kept)), key=lambda i: kept[i])
    return t.permute(back) if len(kept) > 1 else t


def _sum(t, axes):
    if t.dtype.is_floating_point:
        return _C.quietly(lambda: _float_sum(t, axes))
    return t.sum(axes) if axes else t.sum()


def _wide(kind):
    """The type of a sum of whole numbers."""
    return kind if kind.kind == "f" else UINT64 if kind.kind == "u" else INT64


def _chosen(t, where, else_):
    return (
        t
        if where is True
        else _C.where(tensor_of(where, BOOL), t, on_cpu(_C.full, (), else_, t.dtype, False))
    )


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    """The sum, of all elements or along an axis. >>> np.sum([[1, 2], [3, 4]], axis=0)"""
    t = tensor_of(a)
    kind = _dtype(dtype) if dtype is not None else _wide(BY_TORCH[t.dtype])
    axes = _axes(axis, t.ndim)
    found = _sum(_chosen(t._to(kind.torch), where, 0), axes)
    if initial:
        found = found + initial
    return _written("add", _kept(found._to(kind.torch), axes, keepdims), out, True)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    """The product, of all elements or along an axis. >>> np.prod([[1, 2], [3, 4]], axis=0)"""
    t = tensor_of(a)
    kind = _dtype(dtype) if dtype is not None else _wide(BY_TORCH[t.dtype])
    axes = _axes(axis, t.ndim)
    found = _chosen(t._to(kind.torch), where, 1)
    rest = [d for d in range(t.ndim) if d not in axes]
    found = (
        found.permute(rest + sorted(axes)).flatten(len(rest))
        if axes and t.ndim
        else found.reshape([1])
    )
    n = found.shape[-1]
    found = (
        found.cumprod(-1)[..., -1]
        if n
        else on_cpu(_C.full, list(found.shape[:-1]), 1, found.dtype, False)
    )
    if initial != 1:
        found = found * initial
    return _written("multiply", _kept(found._to(kind.torch), axes, keepdims), out, True)


def _floats(t, dtype):
    kind = _dtype(dtype) if dtype is not None else BY_TORCH[t.dtype]
    return kind if kind.kind == "f" else FLOAT64


def _mean(t, axes, where=True):
    count = 1
    for d in axes:
        count *= t.shape[d]
    total = _sum(_chosen(t, where, 0), axes)
    if where is not True:
        count = tensor_of(where, BOOL).expand(t.shape).sum(axes)._to(t.dtype)
    return total / count


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean, of all elements or along an axis. >>> np.mean([[1, 2], [3, 4]], axis=0)"""
    t = tensor_of(a)
    kind = _floats(t, dtype)
    axes = _axes(axis, t.ndim)
    work = FLOAT32 if kind is FLOAT16 and dtype is None else kind
    found = _mean(t._to(work.torch), axes, where)._to(kind.torch)
    return _written("mean", _kept(found, axes, keepdims), out, True)


def _variance(a, axis, dtype, keepdims, ddof, correction, where, root):
    t = tensor_of(a)
    kind = _floats(t, dtype)
    axes = _axes(axis, t.ndim)
    work = FLOAT32 if kind is FLOAT16 and dtype is None else kind
    t = t._to(work.torch)
    if correction is not None:
        ddof = correction
    off = t - _kept(_mean(t, axes, where), axes, True)
    count = 1
    for d in axes:
        count *= t.shape[d]
    total = _sum(_chosen(off * off, where, 0), axes)
    if where is not True:
        count = tensor_of(where, BOOL).expand(t.shape).sum(axes)._to(t.dtype)
        found = total / (count - ddof).clamp(0)
    else:
        found = total / builtins.max(count - ddof, 0)
    found = found.sqrt() if root else found
    return _kept(found._to(kind.torch), axes, keepdims)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
        correction=None):
    """The variance; `ddof=1` divides by n - 1. >>> np.var([1.0, 2.0, 4.0], ddof=1)"""
    return _written(
        "var", _variance(a, axis, dtype, keepdims, ddof, correction, where, False), out, True
    )


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
        correction=None):
    """The standard deviation; `ddof=1` divides by n - 1. >>> np.std([1.0, 2.0, 4.0], ddof=1)"""
    return _written(
        "std", _variance(a, axis, dtype, keepdims, ddof, correction, where, True), out, True
    )


def _extreme(name, reduce, a, axis, out, keepdims, initial, where):
    t = tensor_of(a)
    axes = _axes(axis, t.ndim)
    if where is not True:
        if initial is None:
            raise ValueError(
                f"reduction operation '{name}' does not have an identity, so to use a where mask "
                f"one has to "
                "specify 'initial'"
            )
        t = _chosen(t, where, initial)
    empty = 0 in [t.shape[d] for d in axes]
    if empty and initial is None:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if empty:
        shape = [n for d, n in enumerate(t.shape) if d not in axes]
        found = on_cpu(_C.full, shape, initial, t.dtype, False)
    elif t.dtype is _C.bool:
        found = (_C.any if name == "maximum" else _C.all)(t, axes) if axes else t
    else:
        found = reduce(t, axes) if axes else t.clone()
    if initial is not None:
        other = on_cpu(_C.full, (), initial, found.dtype, False)
        found = (_C.maximum if name == "maximum" else _C.minimum)(found, other)
    return _written(name, _kept(found, axes, keepdims), out, True)


def max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The greatest element, of all or along an axis. >>> np.max([[1, 2], [3, 4]], axis=0)"""
    return _extreme("maximum", _C.amax, a, axis, out, keepdims, initial, where)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The least element, of all or along an axis. >>> np.min([[1, 2], [3, 4]], axis=0)"""
    return _extreme("minimum", _C.amin, a, axis, out, keepdims, initial, where)


amax, amin = max, min


def ptp(a, axis=None, out=None, keepdims=False):
    """The greatest less the least element. >>> np.ptp([1, 5, 3])"""
    return np.subtract(max(a, axis, keepdims=keepdims), min(a, axis, keepdims=keepdims), out=out)


def _place(op, a, axis, out, keepdims):
    t = tensor_of(a)
    if t.dtype is _C.bool:
        t = t._to(_C.uint8)
    if axis is not None:
        axis = normal_axis(axis, t.ndim)
    if not (t.numel() if axis is None else t.shape[axis]):
        raise ValueError(f"attempt to get {op.__name__} of an empty sequence")
    found = op(t.reshape(-1), 0) if axis is None else op(t, axis)
    axes = list(range(t.ndim)) if axis is None else [axis]
    return _written(op.__name__, _kept(found, axes, keepdims), out, True)


def argmax(a, axis=None, out=None, *, keepdims=False):
    """Where the greatest element is. >>> np.argmax([[1, 9], [3, 4]], axis=1)"""
    return _place(_C.argmax, a, axis, out, keepdims)


def argmin(a, axis=None, out=None, *, keepdims=False):
    """Where the least element is. >>> np.argmin([[1, 9], [3, 4]], axis=1)"""
    return _place(_C.argmin, a, axis, out, keepdims)


def _truths(op, identity, a, axis, out, keepdims, where):
    t = _chosen(tensor_of(a, BOOL), where, identity)
    axes = _axes(axis, t.ndim)
    found = op(t, axes) if axes else t
    return _written("any", _kept(found, axes, keepdims), out, True)


def all(a, axis=None, out=None, keepdims=False, *, where=True):
    """Whether no element is 0. >>> np.all([[1, 0], [3, 4]], axis=0)"""
    return _truths(_C.all, True, a, axis, out, keepdims, where)


def any(a, axis=None, out=None, keepdims=False, *, where=True):
    """Whether an element is not 0. >>> np.any([[0, 0], [3, 4]], axis=1)"""
    return _truths(_C.any, False, a, axis, out, keepdims, where)


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not 0. >>> np.count_nonzero([0, 1, 2])"""
    found = sum(asarray(a) != 0, axis, keepdims=keepdims)
    return int(found) if axis is None and not keepdims else found


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The mean, weighted. >>> np.average([1.0, 3.0], weights=[3, 1])"""
    a = asarray(a)
    if weights is None:
        found = mean(a, axis, keepdims=keepdims)
        scale = np.full_like(found, a.size / np.size(found))
    else:
        weights = asarray(weights)
        if weights.shape != a.shape:
            if axis is None:
                raise TypeError("Axis must be specified when shapes of a and weights differ.")
            shape = [1] * a.ndim
            shape[axis] = -1
            weights = weights.reshape(shape)
        scale = sum(
            weights + np.zeros_like(a),
            axis,
            dtype=np.result_type(a.dtype, weights.dtype, "f8"),
            keepdims=keepdims,
        )
        if np.any(scale == 0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        found = sum(np.multiply(a, weights), axis, dtype=scale.dtype, keepdims=keepdims) / scale
    return (found, scale) if returned else found


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal. >>> np.trace(np.eye(3))"""
    return sum(np.diagonal(a, offset, axis1, axis2), -1, dtype, out)


def _running(op, a, axis, dtype, out):
    t = tensor_of(a)
    kind = _dtype(dtype) if dtype is not None else _wide(BY_TORCH[t.dtype])
    t = t._to(kind.torch)
    t, axis = (t.reshape(-1), 0) if axis is None else (t, normal_axis(axis, t.ndim))
    return _written("add", op(t, axis)._to(kind.torch), out, True)


def cumsum(a, axis=None, dtype=None, out=None):
    """The sums up to each element. >>> np.cumsum([1, 2, 3])"""
    return _running(_C.cumsum, a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """The products up to each element. >>> np.cumprod([1, 2, 3])"""
    return _running(_C.cumprod, a, axis, dtype, out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The sums up to each element. >>> np.cumulative_sum([1, 2, 3], include_initial=True)"""
    found = cumsum(x, axis, dtype, out)
    return _with_first(found, axis or 0, 0) if include_initial else found


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The products up to each element. >>> np.cumulative_prod([1, 2, 3])"""
    found = cumprod(x, axis, dtype, out)
    return _with_first(found, axis or 0, 1) if include_initial else found


def _with_first(found, axis, value):
    shape = list(found.shape)
    shape[axis] = 1
    return np.concatenate([np.full(shape, value, found.dtype), found], axis)
