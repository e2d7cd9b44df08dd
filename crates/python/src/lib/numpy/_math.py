"""Products, differences and what is made of them: `np.dot`, `np.einsum`, `np.convolve`,
`np.interp`, `np.cov`."""

import builtins

import _glowgrad as _C
import numpy as np
from numpy._core import asarray, normal_axis, result, tensor_of, words_of, wrap
from numpy._ndarray import ndarray
from numpy._types import BOOL, BY_TORCH, promote_types
from numpy._ufunc import _written, multiplied

# Rounding


def round(a, decimals=0, out=None):
    """The nearest number with so many digits behind the point. >>> np.round([1.25, 2.345], 1)"""
    t = tensor_of(a)
    learned = isinstance(a, _C.TensorBase)
    if t.dtype.is_floating_point:
        scale = 10.0 ** builtins.abs(decimals)
        if decimals == 0:
            found = _C.round(t)
        else:
            found = _C.round(t * scale) / scale if decimals > 0 else _C.round(t / scale) * scale
    elif decimals >= 0:
        found = t._to(_C.float16) if t.dtype is _C.bool else t.clone()
    else:
        scale = 10.0**-decimals
        found = (_C.round(t._to(_C.float64) / scale) * scale)._to(t.dtype)
    return found if learned and out is None else _written("round", found, out, True)


around = round


def fix(x, out=None):
    """Without what stands behind the point. >>> np.fix([1.7, -1.7])"""
    return np.trunc(x, out=out)


def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    """Numbers kept between two bounds. >>> np.clip([1, 5, 9], 2, 7)"""
    low, high = (a_min if a_min is not None else min), (a_max if a_max is not None else max)
    found = a if isinstance(a, _C.TensorBase) else asarray(a)
    if low is not None:
        found = np.maximum(found, low)
    if high is not None:
        found = np.minimum(found, high)
    if low is None and high is None:
        found = np.positive(found)
    if out is None:
        return found
    return _written("clip", tensor_of(found), out, True)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Numbers in place of NaN and infinity. >>> np.nan_to_num([np.nan, np.inf])"""
    t = tensor_of(x)
    found = _C.nan_to_num(t, nan, posinf, neginf) if t.dtype.is_floating_point else t.clone()
    if not copy and isinstance(x, ndarray):
        t.copy_(found)
        return x
    return result(found)


# Products


def dot(a, b, out=None):
    """The product of vectors or matrices. >>> np.dot([1, 2], [3, 4])"""
    x, y = tensor_of(a), tensor_of(b)
    if not x.ndim or not y.ndim:
        return np.multiply(a, b, out=out)
    inner = builtins.max(y.ndim - 2, 0)
    if x.shape[-1] != y.shape[inner]:
        raise ValueError(
            f"shapes {words_of(x.shape)} and {words_of(y.shape)} not aligned: {x.shape[-1]} (dim "
            f"{x.ndim - 1}) != {y.shape[inner]} (dim {inner})"
        )
    x, y = _alike(x, y)
    if y.ndim < 3:
        found = multiplied(x, y)
    else:
        found = _C.contract(x, y, [x.ndim - 1], [y.ndim - 2])
    return _written("dot", found, out, True)


def _alike(*tensors):
    kind = BY_TORCH[tensors[0].dtype]
    for t in tensors:
        kind = promote_types(kind, BY_TORCH[t.dtype])
    return [t._to(kind.torch) for t in tensors]


def vdot(a, b, /):
    """The product of two arrays as vectors. >>> np.vdot([1, 2], [3, 4])"""
    return dot(asarray(a).ravel(), asarray(b).ravel())


def inner(a, b, /):
    """The sums of products over the last axes. >>> np.inner([1, 2], [3, 4])"""
    x, y = _alike(tensor_of(a), tensor_of(b))
    if not x.ndim or not y.ndim:
        return np.multiply(a, b)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(
            f"shapes {words_of(x.shape)} and {words_of(y.shape)} not aligned: {x.shape[-1]} (dim "
            f"{x.ndim - 1}) != {y.shape[-1]} (dim {y.ndim - 1})"
        )
    return result(_C.contract(x, y, [x.ndim - 1], [y.ndim - 1]))


def outer(a, b, out=None):
    """The product of each element of a with each of b. >>> np.outer([1, 2], [3, 4])"""
    return np.multiply(asarray(a).reshape(-1, 1), asarray(b).ravel(), out=out)


def kron(a, b):
    """The product of a with blocks of b. >>> np.kron([1, 10], [1, 1])"""
    return wrap(_C.kron(*_alike(tensor_of(a), tensor_of(b))))


def tensordot(a, b, axes=2):
    """The sums of products over axes. >>> np.tensordot(np.ones((2, 3)), np.ones((3, 2)), 1)"""
    x, y = _alike(tensor_of(a), tensor_of(b))
    if isinstance(axes, int):
        left, right = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    else:
        left, right = [[each] if isinstance(each, int) else list(each) for each in axes]
    left, right = [d % x.ndim for d in left], [d % y.ndim for d in right]
    if [x.shape[d] for d in left] != [y.shape[d] for d in right]:
        raise ValueError("shape-mismatch for sum")
    return result(_C.contract(x, y, left, right))


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Sums of products by letters. >>> np.einsum("ij,jk->ik", np.eye(2), np.eye(2))"""
    if not isinstance(operands[0], str):
        raise NotImplementedError("einsum: give the letters as a text, such as 'ij,jk->ik'")
    tensors = _alike(*[tensor_of(a) for a in operands[1:]])
    if dtype is not None:
        tensors = [t._to(np.dtype(dtype).torch) for t in tensors]
    try:
        found = _C.einsum(operands[0].replace(" ", ""), tensors)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    return _written("einsum", found, out, True)


def einsum_path(subscripts, *operands, optimize="greedy", einsum_call=False):
    """The order of an `einsum`: from left to right.
    >>> np.einsum_path("ij,jk->ik", np.eye(2), np.eye(2))[0]"""
    return ["einsum_path", tuple(range(len(operands)))], f"  Complete contraction:  {subscripts}"


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors. >>> np.cross([1, 0, 0], [0, 1, 0])"""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(asarray(a), axisa, -1), np.moveaxis(asarray(b), axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(parts, axisc)


# Neighbours


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The differences of neighbours. >>> np.diff([1, 4, 9])"""
    a = asarray(a)
    if not a.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normal_axis(axis, a.ndim)
    ends = []
    for end in (prepend, append):
        if end is not None:
            shape = [1 if d == axis else m for d, m in enumerate(a.shape)]
            end = np.broadcast_to(end, shape) if np.ndim(end) == 0 else asarray(end)
        ends.append([] if end is None else [end])
    if ends[0] or ends[1]:
        a = np.concatenate(ends[0] + [a] + ends[1], axis)
    for _ in range(n):
        before, after = [
            (slice(None),) * axis + (part,) for part in (slice(None, -1), slice(1, None))
        ]
        a = np.not_equal(a[after], a[before]) if a.dtype is BOOL else a[after] - a[before]
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours in the flat array. >>> np.ediff1d([1, 4, 9])"""
    parts = [diff(asarray(ary).ravel())]
    parts = ([np.ravel(to_begin)] if to_begin is not None else []) + parts
    return np.concatenate(parts + ([np.ravel(to_end)] if to_end is not None else []))


def gradient(f, *varargs, axis=None, edge_order=1):
    """The slope at each element. >>> np.gradient([1.0, 4.0, 9.0])"""
    f = asarray(f)
    f = f if f.dtype.kind == "f" else f.astype(float)
    axes = list(range(f.ndim)) if axis is None else [
        normal_axis(d, f.ndim) for d in (axis if isinstance(axis, (tuple, list)) else [axis])
    ]
    steps = list(varargs) if len(varargs) > 1 else list(varargs or (1.0,)) * len(axes)
    if len(steps) != len(axes):
        raise TypeError("invalid number of arguments")
    found = []
    for d, step in zip(axes, steps):
        if f.shape[d] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order "
                "+ 1) elements are required."
            )
        found.append(np.moveaxis(_slope(np.moveaxis(f, d, 0), step, edge_order), 0, d))
    return found[0] if len(found) == 1 else tuple(found)


def _slope(f, step, edge_order):
    """The slope along the first axis."""
    shape = (-1,) + (1,) * (f.ndim - 1)
    steps = np.diff(asarray(step, float)) if np.ndim(step) else None
    even = steps is None or (steps == steps[0]).all()
    h = (steps[0] if steps is not None else step) if even else None
    if even:
        middle = (f[2:] - f[:-2]) / (2.0 * h)
    else:
        one, two = steps[:-1], steps[1:]
        a, b, c = -two / (one * (one + two)), (two - one) / (one * two), one / (two * (one + two))
        middle = a.reshape(shape) * f[:-2] + b.reshape(shape) * f[1:-1] + c.reshape(shape) * f[2:]
    first, last = (h, h) if even else (steps[0], steps[-1])
    if edge_order == 1:
        start, end = (f[1] - f[0]) / first, (f[-1] - f[-2]) / last
    elif even:
        start = -1.5 / h * f[0] + 2.0 / h * f[1] + -0.5 / h * f[2]
        end = 0.5 / h * f[-3] + -2.0 / h * f[-2] + 1.5 / h * f[-1]
    else:
        x, y = steps[0], steps[1]
        start = (
            -(2.0 * x + y) / (x * (x + y)) * f[0]
            + (x + y) / (x * y) * f[1]
            - x / (y * (x + y)) * f[2]
        )
        x, y = steps[-2], steps[-1]
        end = (
            y / (x * (x + y)) * f[-3]
            - (y + x) / (x * y) * f[-2]
            + (2.0 * y + x) / (y * (x + y)) * f[-1]
        )
    return np.concatenate([asarray(start)[None], middle, asarray(end)[None]])


def convolve(a, v, mode="full"):
    """The sums of products while one sequence slides over another, turned round.
    >>> np.convolve([1, 2, 3], [1, 1])"""
    x, y = _alike(tensor_of(a).reshape(-1), tensor_of(v).reshape(-1))
    if not len(x):
        raise ValueError("a cannot be empty")
    if not len(y):
        raise ValueError("v cannot be empty")
    x, y = (x, y) if len(x) >= len(y) else (y, x)
    n, k = len(x), len(y)
    if k > 64 and x.dtype.is_floating_point:
        found = _C.conv1d(x.reshape(1, 1, n), y.flip([0]).reshape(1, 1, k), None, 1, k - 1).reshape(
            -1
        )
    else:
        parts = [_C.pad(x * y[i], [i, k - 1 - i]) for i in range(k)]
        found = parts[0]
        for part in parts[1:]:
            found = found + part
    if mode == "same":
        found = found[(k - 1) // 2:(k - 1) // 2 + n]
    elif mode == "valid":
        found = found[k - 1:n]
    elif mode != "full":
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    return wrap(found)


def correlate(a, v, mode="valid"):
    """The sums of products while one sequence slides over another.
    >>> np.correlate([1, 2, 3], [1, 1])"""
    a, v = asarray(a), asarray(v)
    found = convolve(a, v[::-1], mode)
    return found if len(a) >= len(v) or mode == "full" else found[::-1][::-1]


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area under points joined by lines. >>> np.trapezoid([1, 2, 3])"""
    y = asarray(y)
    if x is None:
        width = dx
    else:
        x = asarray(x)
        width = np.diff(x, axis=axis if x.ndim > 1 else -1)
        if x.ndim == 1:
            width = width.reshape(
                [-1 if d == normal_axis(axis, y.ndim) else 1 for d in range(y.ndim)]
            )
    axis = normal_axis(axis, y.ndim)
    before, after = [(slice(None),) * axis + (part,) for part in (slice(None, -1), slice(1, None))]
    return (width * (y[after] + y[before]) / 2.0).sum(axis)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Values between points joined by lines. >>> np.interp(1.5, [1, 2], [10, 20])"""
    x, xp, fp = asarray(x, float), asarray(xp, float), asarray(fp, float)
    if period is not None:
        x, xp = np.remainder(x, period), np.remainder(xp, period)
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = np.concatenate([fp[-1:], fp, fp[:1]])
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    x = asarray(x)
    at = np.clip(np.searchsorted(xp, x, "right") - 1, 0, builtins.max(len(xp) - 2, 0))
    if len(xp) > 1:
        slope = np.diff(fp) / np.diff(xp)
        found = slope[at] * (x - xp[at]) + fp[at]
    else:
        found = np.full(x.shape, fp[0])
    found = np.where(x < xp[0], fp[0] if left is None else left, found)
    found = np.where(x > xp[-1], fp[-1] if right is None else right, found)
    found = np.where(x == xp[-1], fp[-1], found)
    return found if found.ndim else found[()]


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """Angles without jumps of a whole turn. >>> np.unwrap([0.0, 3.0, 6.0, 0.5])"""
    p = asarray(p, float)
    step = diff(p, axis=axis)
    half = period / 2
    moved = np.remainder(step + half, period) - half
    moved = np.where((moved == -half) & (step > 0), half, moved)
    fixed = np.where(np.abs(step) < (half if discont is None else discont), 0.0, moved - step)
    axis = normal_axis(axis, p.ndim)
    found = p.copy()
    found[(slice(None),) * axis + (slice(1, None),)] += fixed.cumsum(axis)
    return found


# Statistics of several variables


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariances of variables, which are rows.
    >>> np.cov([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])"""
    x = np.atleast_2d(asarray(m))
    x = x if x.dtype.kind == "f" else x.astype(float)
    if not rowvar and x.shape[0] != 1:
        x = x.T
    if y is not None:
        y = np.atleast_2d(asarray(y, x.dtype))
        x = np.concatenate([x, y if rowvar or y.shape[0] == 1 else y.T])
    ddof = ddof if ddof is not None else 0 if bias else 1
    weights = None
    for given in (fweights, aweights):
        if given is not None:
            weights = asarray(given, float) if weights is None else weights * given
    mean, total = np.average(x, axis=1, weights=weights, returned=True)
    total = total[0]
    if weights is None:
        scale = x.shape[1] - ddof
    elif ddof == 0:
        scale = total
    elif aweights is None:
        scale = total - ddof
    else:
        scale = total - ddof * (weights * asarray(aweights)).sum() / total
    x = x - mean[:, None]
    found = dot(x, (x if weights is None else x * weights).T) * np.true_divide(1, scale)
    return np.squeeze(found) if found.shape == (1, 1) else found


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The correlations of variables, which are rows.
    >>> np.corrcoef([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])"""
    c = cov(x, y, rowvar)
    if not c.ndim:
        return c / c
    spread = np.sqrt(np.diag(c))
    return np.clip(c / spread[:, None] / spread[None, :], -1, 1)


# Real numbers as complex ones


def real(val):
    """The numbers themselves: they are real. >>> np.real([1, 2])"""
    return asarray(val)


def imag(val):
    """Zeros: numbers are real. >>> np.imag([1, 2])"""
    return np.zeros_like(asarray(val))


real_if_close = real


def angle(z, deg=False):
    """0 for positive numbers, half a turn for negative ones. >>> np.angle([1, -1])"""
    found = np.where(asarray(z) < 0, 180.0 if deg else np.pi, 0.0)
    return found if found.ndim else found[()]


def isreal(x):
    """True: numbers are real. >>> np.isreal([1, 2])"""
    return np.ones_like(asarray(x), bool) if np.ndim(x) else True


def iscomplex(x):
    """False: numbers are real. >>> np.iscomplex([1, 2])"""
    return np.zeros_like(asarray(x), bool) if np.ndim(x) else False


def isrealobj(x):
    """True: numbers are real. >>> np.isrealobj([1, 2])"""
    return True


def iscomplexobj(x):
    """False: numbers are real. >>> np.iscomplexobj([1, 2])"""
    return False


def isneginf(x, out=None):
    """Where it is minus infinity. >>> np.isneginf([-np.inf, 1.0])"""
    return np.equal(x, -np.inf, out=out)


def isposinf(x, out=None):
    """Where it is infinity. >>> np.isposinf([np.inf, 1.0])"""
    return np.equal(x, np.inf, out=out)


def sinc(x):
    """sin(pi x) / (pi x). >>> np.sinc([0.0, 0.5])"""
    y = np.pi * np.where(asarray(x) == 0, 1.0e-20, x)
    return np.sin(y) / y if np.ndim(x) else (np.sin(y) / y)
