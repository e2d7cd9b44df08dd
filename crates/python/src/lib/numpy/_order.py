"""Numbers by their order, and reductions that leave NaN out: `np.median`, `np.quantile`,
`np.nanmean`."""

import _glowgrad as _C
import numpy as np
from numpy._core import asarray, tensor_of
from numpy._reduce import (
    _axes, _f64, _floats, _kept, all, any, argmax, argmin, cumsum, max, mean, min, prod, sum,
)
from numpy._ufunc import _written


def _sorted_last(a, axis, whole=False):
    """The elements along the axes, sorted, as the last axis; and those axes."""
    t = tensor_of(a)
    t = t if whole or t.dtype.is_floating_point else t._to(_f64)
    axes = _axes(axis, t.ndim)
    rest = [d for d in range(t.ndim) if d not in axes]
    t = t.permute(rest + sorted(axes))
    t = t.flatten(len(rest)) if axes and t.ndim else t.reshape([1])
    return _C.sort(t, -1)[0], axes


def _spoilt(found, t):
    """NaN where a NaN is among the elements: it sorts to the end."""
    if not t.dtype.is_floating_point:
        return found
    return _C.where(_C.isnan(t[..., -1]), t[..., -1], found)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The element in the middle, or the mean of the two there. >>> np.median([1, 3, 2, 10])"""
    t, axes = _sorted_last(a, axis)
    n = t.shape[-1]
    if not n:
        return mean(a, axis, keepdims=keepdims)
    middle = t[..., n // 2]
    if n % 2 == 0:
        middle = (t[..., n // 2 - 1] + middle) / 2
    return _written("median", _kept(_spoilt(middle, t), axes, keepdims), out, True)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
             weights=None):
    """The number below which the share `q` of the elements lies.
    >>> np.quantile([1, 2, 3, 4], 0.25)"""
    shares = asarray(q, float)
    if not all((shares >= 0) & (shares <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    if weights is not None:
        raise NotImplementedError(
            "quantile(weights=…) is not here; repeat elements with np.repeat(a, weights)"
        )
    t, axes = _sorted_last(a, axis, method in ("lower", "higher", "nearest"))
    n = t.shape[-1]
    found = [
        _kept(_spoilt(_at_share(t, n, share, method), t), axes, keepdims)
        for share in shares.ravel().tolist()
    ]
    found = _C.stack(found)
    found = found.reshape(list(shares.shape) + list(found.shape[1:]))
    return _written("quantile", found, out, True)


def _at_share(t, n, share, method):
    place = (n - 1) * share
    low = int(place // 1)
    high = low + 1 if low + 1 < n else low
    part = place - low
    if method == "lower":
        return t[..., low]
    if method == "higher":
        return t[..., high if part else low]
    if method == "nearest":
        return t[..., round(place)]
    if method == "midpoint":
        part = 0.5 if part else 0.0
    elif method != "linear":
        raise NotImplementedError(
            f"quantile(method={method!r}): there are linear, lower, higher, nearest and midpoint"
        )
    a, b = t[..., low], t[..., high]
    return b - (b - a) * (1 - part) if part >= 0.5 else a + (b - a) * part


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
               weights=None):
    """The number below which `q` percent of the elements lie.
    >>> np.percentile([1, 2, 3, 4], 25)"""
    shares = np.true_divide(q, 100)
    if not all((shares >= 0) & (shares <= 1)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return quantile(a, shares, axis, out, overwrite_input, method, keepdims, weights=weights)


# Without NaN


def _without(a, value):
    a = asarray(a)
    return np.where(np.isnan(a), np.asarray(value, a.dtype), a) if a.dtype.kind == "f" else a


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
    """The sum, NaN left out. >>> np.nansum([1.0, np.nan])"""
    return sum(_without(a, 0), axis, dtype, out, keepdims, initial, where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True):
    """The product, NaN left out. >>> np.nanprod([2.0, np.nan])"""
    return prod(_without(a, 1), axis, dtype, out, keepdims, initial, where)


def nancumsum(a, axis=None, dtype=None, out=None):
    """The sums up to each element, NaN left out. >>> np.nancumsum([1.0, np.nan, 2.0])"""
    return cumsum(_without(a, 0), axis, dtype, out)


def _there(a, axis, keepdims):
    return sum(~np.isnan(a), axis, keepdims=keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean, NaN left out. >>> np.nanmean([1.0, np.nan, 3.0])"""
    total = nansum(a, axis, _floats(tensor_of(a), dtype), None, keepdims)
    return np.divide(total, np.asarray(_there(a, axis, keepdims), total.dtype), out=out)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    """The variance, NaN left out. >>> np.nanvar([1.0, np.nan, 3.0])"""
    off = asarray(a) - nanmean(a, axis, dtype, keepdims=True)
    total = nansum(off * off, axis, None, None, keepdims)
    return np.divide(total, np.asarray(_there(a, axis, keepdims) - ddof, total.dtype), out=out)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
    """The standard deviation, NaN left out. >>> np.nanstd([1.0, np.nan, 3.0])"""
    return np.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims), out=out)


def _nan_extreme(a, axis, out, keepdims, reduce, end):
    a = asarray(a)
    if a.dtype.kind != "f":
        return reduce(a, axis, out, keepdims)
    found = reduce(_without(a, end), axis, None, keepdims)
    found = np.where(all(np.isnan(a), axis, keepdims=keepdims), np.asarray(np.nan, a.dtype), found)
    return _written("fmax", found._t, out, True)


def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The greatest element, NaN left out. >>> np.nanmax([1.0, np.nan])"""
    return _nan_extreme(a, axis, out, keepdims, max, -np.inf)


def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The least element, NaN left out. >>> np.nanmin([1.0, np.nan])"""
    return _nan_extreme(a, axis, out, keepdims, min, np.inf)


def _nan_place(a, axis, place, end):
    if any(all(np.isnan(a), axis)):
        raise ValueError("All-NaN slice encountered")
    return place(_without(a, end), axis)


def nanargmax(a, axis=None, out=None, *, keepdims=False):
    """Where the greatest element is, NaN left out. >>> np.nanargmax([1.0, np.nan])"""
    return _nan_place(a, axis, argmax, -np.inf)


def nanargmin(a, axis=None, out=None, *, keepdims=False):
    """Where the least element is, NaN left out. >>> np.nanargmin([1.0, np.nan])"""
    return _nan_place(a, axis, argmin, np.inf)


def _by_rows(function, a, axis, keepdims):
    """A function of rows without their NaN."""
    a = asarray(a)
    if axis is None:
        flat = a.ravel()
        found = function(flat[~np.isnan(flat)])
        return np.reshape(found, np.shape(found) + (1,) * a.ndim) if keepdims else found
    found = np.apply_along_axis(lambda row: function(row[~np.isnan(row)]), axis, a)
    return np.expand_dims(found, axis) if keepdims else found


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The element in the middle, NaN left out. >>> np.nanmedian([1.0, np.nan, 3.0])"""
    return _by_rows(median, a, axis, keepdims)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False,
                *, weights=None):
    """As `quantile`, NaN left out. >>> np.nanquantile([1.0, np.nan, 3.0], 0.5)"""
    return _by_rows(lambda row: quantile(row, q, method=method), a, axis, keepdims)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False,
                  *, weights=None):
    """As `percentile`, NaN left out. >>> np.nanpercentile([1.0, np.nan, 3.0], 50)"""
    return _by_rows(lambda row: percentile(row, q, method=method), a, axis, keepdims)
