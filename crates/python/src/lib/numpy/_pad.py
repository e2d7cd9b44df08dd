"""Elements put in, taken out, or set around an array: `np.insert`, `np.delete`, `np.pad`."""

import builtins

import _glowgrad as _C
import numpy as np
from numpy._core import asarray, normal_axis, on_cpu, tensor_of, wrap
from numpy._shape import broadcast_to, expand_dims, moveaxis
from numpy._types import BOOL, BY_TORCH


def _places(obj, n):
    """Places along an axis, counted from the front."""
    if isinstance(obj, slice):
        return list(range(*obj.indices(n)))
    obj = asarray(obj)
    if obj.dtype is BOOL:
        return np.nonzero(obj)[0].tolist()
    found = obj.tolist() if obj.ndim else [obj.item()]
    for i in found:
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of bounds for axis 0 with size {n}")
    return [i + n if i < 0 else i for i in found]


def delete(arr, obj, axis=None):
    """The array without the elements at these places. >>> np.delete([1, 2, 3], 1)"""
    t = tensor_of(arr)
    t, axis = (t.reshape(-1), 0) if axis is None else (t, normal_axis(axis, t.ndim))
    gone = set(_places(obj, t.shape[axis]))
    stay = [i for i in range(t.shape[axis]) if i not in gone]
    return wrap(t.index_select(axis, on_cpu(_C.from_data, stay, _C.int64, False)))


def insert(arr, obj, values, axis=None):
    """The array with values put in before places. >>> np.insert([1, 3], 1, 2)"""
    t = tensor_of(arr)
    t, axis = (t.reshape(-1), 0) if axis is None else (t, normal_axis(axis, t.ndim))
    n, kind = t.shape[axis], BY_TORCH[t.dtype]
    one = isinstance(obj, int)
    at = [i + n if i < 0 else i for i in ([obj] if one else _places(obj, n + 1))]
    new = asarray(values, kind)
    if new.ndim and (one or len(at) == 1):
        new = moveaxis(new, 0, axis) if one and new.ndim == t.ndim and axis else new
        new = new if new.ndim == t.ndim else expand_dims(new, axis) if t.ndim > 1 else new
        at = at * (new.shape[axis] if new.ndim == t.ndim else 1)
    want = list(t.shape)
    want[axis] = len(at)
    new = broadcast_to(new, tuple(want))._t
    order = sorted(range(len(at)), key=lambda i: at[i])
    parts, done = [], 0
    for i in order:
        parts.append(t.narrow(axis, done, at[i] - done))
        parts.append(new.narrow(axis, i, 1))
        done = at[i]
    parts.append(t.narrow(axis, done, n - done))
    return wrap(_C.cat(parts, axis))


def trim_zeros(filt, trim="fb", axis=None):
    """The array without zeros at its ends. >>> np.trim_zeros([0, 1, 2, 0])"""
    there = np.nonzero(asarray(filt))[0]
    if not len(there):
        return filt[:0]
    start = int(there[0]) if "f" in trim.lower() else 0
    return filt[start:int(there[-1]) + 1 if "b" in trim.lower() else None]


# Padding


def pad(array, pad_width, mode="constant", *, constant_values=0, end_values=0, stat_length=None,
        reflect_type="even"):
    """The array with a border. >>> np.pad([1, 2], 1)"""
    t = tensor_of(array)
    widths = broadcast_to(asarray(pad_width), (t.ndim, 2)).tolist()
    if builtins.min([0] + [n for pair in widths for n in pair]) < 0:
        raise ValueError("index can't contain negative values")
    fill = (
        broadcast_to(asarray(constant_values), (t.ndim, 2)).tolist() if mode == "constant" else None
    )
    ends = (
        broadcast_to(asarray(end_values), (t.ndim, 2)).tolist() if mode == "linear_ramp" else None
    )
    for axis, (before, after) in enumerate(widths):
        if not before and not after:
            continue
        n = t.shape[axis]
        if mode in _BORDERS:
            places = [_BORDERS[mode](i, n) for i in range(-before, n + after)]
            t = t.index_select(axis, on_cpu(_C.from_data, places, _C.int64, False))
            continue
        parts = [t]
        for at, width in ((0, before), (n - 1, after)):
            edge, shape = t.narrow(axis, at, 1), list(t.shape)
            shape[axis] = width
            if mode == "constant":
                new = on_cpu(_C.full, shape, fill[axis][at > 0 or len(parts) > 1], t.dtype, False)
            elif mode in ("mean", "maximum", "minimum", "median"):
                name = {"maximum": "max", "minimum": "min"}.get(mode, mode)
                new = getattr(np, name)(wrap(t), axis, keepdims=True)._t
                new = (
                    (_C.round(new) if not t.dtype.is_floating_point else new)
                    ._to(t.dtype)
                    .expand(shape)
                )
            elif mode == "linear_ramp":
                end = ends[axis][len(parts) > 1]
                share = on_cpu(_C.arange, 0, width, 1, _C.float64, False) / builtins.max(width, 1)
                share = share.flip(0) if len(parts) > 1 else share
                share = share.reshape([-1 if d == axis else 1 for d in range(t.ndim)])
                new = (end + (edge - end) * share)._to(t.dtype)
            else:
                raise ValueError(f"mode '{mode}' is not supported")
            parts.insert(0 if len(parts) == 1 else 2, new)
        t = _C.cat(parts, axis)
    return wrap(t)


def _reflected(i, n):
    if n == 1:
        return 0
    i = i % (2 * n - 2)
    return i if i < n else 2 * n - 2 - i


def _symmetric(i, n):
    i = i % (2 * n)
    return i if i < n else 2 * n - 1 - i


_BORDERS = {
    "edge": lambda i, n: builtins.min(builtins.max(i, 0), n - 1), "wrap": lambda i, n: i % n,
    "reflect": _reflected, "symmetric": _symmetric,
}
