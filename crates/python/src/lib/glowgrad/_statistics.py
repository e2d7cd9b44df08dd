"""Statistics: covariances, quantiles, histograms, distances between points."""

import math

import _glowgrad as _C
import glowgrad as _torch
from _glowgrad import TensorBase
from glowgrad._compose import _named, _ruled, _takes
from glowgrad._out import _with_out
from glowgrad._tensor import _Named, _dimension


# Covariances


def _weights(what, weights, n, is_kind, kind):
    if weights.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {what} to have one or fewer dimensions but got {what} with "
            f"{weights.ndim} dimensions"
        )
    if not is_kind:
        raise RuntimeError(
            f"cov(): expected {what} to have {kind} dtype but got {what} with "
            f"{weights.dtype.scalar_name} dtype"
        )
    if weights.numel() != n:
        raise RuntimeError(
            f"cov(): expected {what} to have the same numel as there are observations in the input "
            f"but got {weights.numel()} != {n}"
        )
    if n and not _C.is_capturing() and _C.quietly(lambda: (weights.min() < 0).item()):
        raise RuntimeError(f"cov(): {what} cannot be negative")
    return weights.reshape(-1)


@_takes("input")
def cov(input, *, correction=1, fweights=None, aweights=None):
    """How variables vary together: a row for each variable, a column for each observation.

    >>> torch.cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    """
    if input.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    if input.dtype is _C.bool:
        raise NotImplementedError("cov(): bool dtype is not supported for input")
    rows = input if input.ndim == 2 else input.reshape(1, -1)
    n = rows.shape[1]
    weights = None
    if fweights is not None:
        whole = not fweights.dtype.is_floating_point and fweights.dtype is not _C.bool
        weights = fweights = _weights("fweights", fweights, n, whole, "integral")
    if aweights is not None:
        aweights = _weights(
            "aweights", aweights, n, aweights.dtype.is_floating_point, "floating point"
        )
        weights = aweights if fweights is None else weights * aweights
    total = n if weights is None else weights.sum()
    if weights is not None and n and not _C.is_capturing():
        if _C.quietly(lambda: (total == 0).item()):
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = (rows if weights is None else rows * weights).sum(1) / total
    if aweights is not None and correction:
        freedom = total - correction * (weights * aweights).sum() / total
    else:
        freedom = total - correction
    if isinstance(freedom, TensorBase):
        freedom = freedom.clamp(min=0)
    elif freedom <= 0:
        from warnings import warn

        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number "
            "of observations."
        )
        freedom = 0
    moved = rows - mean.unsqueeze(1)
    product = moved @ (moved if weights is None else moved * weights).t()
    return (product / freedom).squeeze()


@_takes("input")
def corrcoef(input):
    """Pearson's correlation of variables: a row for each variable, a column for each observation.

    >>> torch.corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    """
    if input.ndim > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    c = cov(input)
    if c.ndim == 0:
        return c / c
    deviation = c.diag().sqrt()
    return (c / deviation.reshape(-1, 1) / deviation.reshape(1, -1)).clamp(-1, 1)


# Without NaN


def _dims(dim, n):
    if dim is None or not isinstance(dim, int) and len(dim) == 0:
        return list(range(n))
    return [dim] if isinstance(dim, int) else list(dim)


@_with_out
@_takes("input")
def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """The sum of the elements that are not NaN.

    >>> torch.nansum(torch.tensor([1.0, float("nan"), 2.0]))
    """

    def compose(x):
        if x.dtype.is_floating_point:
            x = _C.where(x.isnan(), 0.0, x)
        return _C.sum(x if dtype is None else x.to(dtype), _dims(dim, x.ndim), keepdim)

    return _named("NansumBackward0", compose, input)


@_with_out
@_takes("input")
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements that are not NaN.

    >>> torch.nanmean(torch.tensor([1.0, float("nan"), 2.0]))
    """
    if not input.dtype.is_floating_point:
        raise NotImplementedError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            + input.dtype.scalar_name
        )
    count = (~input.isnan()).sum(_dims(dim, input.ndim), keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / count


# Quantiles

_BETWEEN = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(input, q, dim, keepdim, interpolation, without_nan):
    if interpolation not in _BETWEEN:
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    if input.numel() == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if input.dtype not in (_C.float32, _C.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if isinstance(q, TensorBase):
        if q.ndim > 1:
            raise RuntimeError("quantile() q must be a scalar or 1D tensor")
        if q.dtype is not input.dtype:
            raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
        if not _C.is_capturing() and _C.quietly(lambda: not ((q >= 0) & (q <= 1)).all().item()):
            raise RuntimeError("quantile() q values must be in the range [0, 1]")
    else:
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = _C.full((), float(q), input.dtype, False)
    if dim is None:
        x, at = input.reshape(-1), input.ndim
    else:
        at = _dimension(dim, input.ndim) % max(input.ndim, 1)
        x = input.movedim(at, -1) if input.ndim else input.reshape(1)
    ranked = x.sort(-1).values
    last = ranked.shape[-1] - 1
    is_nan = ranked.detach().isnan()
    if without_nan:
        ranks = (q * ((~is_nan).sum(-1, True) - 1)).clamp(min=0)
    else:
        ranks = _C.where(is_nan.any(-1, True), last, q * last)
    rounds = {"lower": "floor", "higher": "ceil", "nearest": "round"}
    if interpolation in rounds:
        ranks = getattr(ranks, rounds[interpolation])()
    below = ranks.long()
    result = ranked.gather(-1, below)
    if interpolation not in rounds:
        above = ranked.gather(-1, ranks.ceil().long())
        weight = ranks - below if interpolation == "linear" else _C.full(
            ranks.shape, 0.5, ranks.dtype, False
        )
        result = result.lerp(above, weight)
    # One result for each q, in a dimension of its own before the others.
    if keepdim:
        result = result.reshape(*(1,) * at, -1) if dim is None else result.movedim(-1, at)
        result = result.unsqueeze(0).transpose(0, at + 1) if dim is not None else (
            result.reshape(-1, *(1,) * at)
        )
        return result if q.ndim else result.squeeze(0)
    return result.movedim(-1, 0) if q.ndim else result.squeeze(-1)


@_with_out
@_takes("input")
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The number below which a part q of all numbers lies.

    >>> torch.quantile(torch.tensor([1.0, 2.0, 3.0]), 0.25)
    """
    return _quantile(input, q, dim, keepdim, interpolation, False)


@_with_out
@_takes("input")
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """As `quantile`, of the numbers that are not NaN.

    >>> torch.nanquantile(torch.tensor([1.0, float("nan"), 3.0]), 0.5)
    """
    return _quantile(input, q, dim, keepdim, interpolation, True)


@_with_out
@_takes("input")
def msort(input):
    """The rows sorted along the first dimension.

    >>> torch.msort(torch.tensor([[2, 1], [1, 3]]))
    """
    return _C.sort(input, 0).values


# Histograms


def _edges(x, bins, limits, d):
    """The edges of bins: those that were given, or evenly spaced ones."""
    if isinstance(bins, TensorBase):
        return bins
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {d}")
    low, high = limits or (0.0, 1.0)
    if limits is None and x.numel():
        low, high = x.min().item(), x.max().item()
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(
            f"torch.histogramdd: dimension {d}'s range [{low:g}, {high:g}] is not finite"
        )
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for "
            f"dimension {d}"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return _C.linspace(low, high, bins + 1, x.dtype, False)


def _histogram(input, bins, limits, weight, density):
    """The histogram of rows of numbers, and the edges in each dimension."""
    if not input.dtype.is_floating_point:
        kind = input.dtype.scalar_name
        raise NotImplementedError(f'"histogramdd" not implemented for \'{kind}\'')
    if weight is not None and weight.shape != input.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{list(input.shape)} and weight with shape {list(weight.shape)}"
        )
    rows = input.detach().reshape(-1, input.shape[-1])
    edges, place, inside = [], 0, True
    for d, x in enumerate(rows.unbind(1)):
        own = _edges(x, bins[d], None if limits is None else limits[2 * d:2 * d + 2], d)
        n = len(own) - 1
        found = _C.searchsorted(own, x.contiguous(), right=True) - 1
        inside = inside & (x >= own[0]) & (x <= own[-1])
        place = place * n + found.clamp(0, n - 1)
        edges.append(own)
    counts = inside.to(input.dtype) if weight is None else _C.where(
        inside, weight.detach().reshape(-1).to(input.dtype), 0.0
    )
    shape = [len(own) - 1 for own in edges]
    hist = _C.full((math.prod(shape),), 0.0, input.dtype, False).index_add(0, place, counts)
    hist = hist.reshape(shape)
    if density:
        hist = hist / hist.sum()
        for d, own in enumerate(edges):
            hist = hist / (own[1:] - own[:-1]).reshape([-1] + [1] * (len(shape) - d - 1))
    return hist, edges


@_with_out
@_takes("input")
def histogram(input, bins=100, *, range=None, weight=None, density=False):
    """How many elements lie between each two of the edges, and the edges.

    >>> torch.histogram(torch.tensor([1.0, 2.0, 4.0]), 3)
    """
    if weight is not None and weight.shape == input.shape:
        weight = weight.reshape(-1)
    hist, edges = _histogram(input.reshape(-1, 1), [bins], range, weight, density)
    return _Named("histogram", ("hist", "bin_edges"), (hist, edges[0]))


@_takes("input")
def histogramdd(input, bins, range=None, weight=None, density=False):
    """As `histogram` of points: the last dimension has the coordinates of a point.

    >>> torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0]]), bins=[2, 2])
    """
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    n = input.shape[-1]
    bins = [bins] * n if isinstance(bins, int) else list(bins)
    if len(bins) != n:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    hist, edges = _histogram(input, bins, range, weight, density)
    return _Named("histogramdd", ("hist", "bin_edges"), (hist, tuple(edges)))


# Distances


def _length(difference, p):
    """The p-norm along the last dimension, whose slope at zero is zero."""
    if p == 0:
        return (difference != 0).to(difference.dtype).sum(-1) + 0 * difference.sum(-1)
    size = difference.abs()
    if p == 1:
        return size.sum(-1)
    if p == math.inf:
        return size.amax(-1)
    total = (difference * difference if p == 2 else size ** p).sum(-1)
    zero = total == 0
    safe = _C.where(zero, 1.0, total)
    return _C.where(zero, 0.0, safe.sqrt() if p == 2 else safe ** (1 / p))


def _slope(difference, distance, p):
    """How the p-norm grows with each coordinate."""
    sign = difference.sign()
    if p == 0:
        return difference * 0
    if p == 1:
        return sign
    size, distance = difference.abs(), distance.unsqueeze(-1)
    if p == math.inf:
        return sign * (size == distance)
    there = difference != 0
    steep = sign * _C.where(there, _C.where(there, size, 1.0) ** (p - 1), 0.0)
    return _C.where(distance == 0, 0.0, steep / _C.where(distance == 0, 1.0, distance) ** (p - 1))


def _sized(name, p):
    if p < 0:
        raise RuntimeError(f"{name} only supports non-negative p values")


@_takes("x1", "x2")
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The distance of every row of the first tensor to every row of the second.

    >>> torch.cdist(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
    """
    modes = (
        "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
        "donot_use_mm_for_euclid_dist",
    )
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for which, x in (("X1", x1), ("X2", x2)):
        if not x.dtype.is_floating_point:
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {which} got: {x.dtype.scalar_name}"
            )
    for which, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {which} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    _sized("cdist", p)
    large = x1.shape[-2] > 25 or x2.shape[-2] > 25
    if p == 2 and (compute_mode == modes[1] or compute_mode == modes[0] and large):
        return _named("CdistBackward0", _by_products, x1, x2)

    def value(x1, x2):
        return _length(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)

    if p == 2 or p == 0:
        return _named("CdistBackward0", value, x1, x2)

    def rule(gradient):
        difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
        slope = gradient.unsqueeze(-1) * _slope(difference, _length(difference, p), p)
        return slope.sum(-2).sum_to_size(x1.shape), -slope.sum(-3).sum_to_size(x2.shape)

    return _ruled("CdistBackward0", value, rule, x1, x2)


def _by_products(x1, x2):
    """Euclidean distances as |a|² - 2 a·b + |b|²."""
    left = _C.cat([-2 * x1, x1.square().sum(-1, True), _torch.ones_like(x1[..., :1])], -1)
    right = _C.cat([x2, _torch.ones_like(x2[..., :1]), x2.square().sum(-1, True)], -1)
    square = (left @ right.mT).clamp(min=0)
    zero = square == 0
    return _C.where(zero, 0.0, _C.where(zero, 1.0, square).sqrt())


@_takes("input")
def pdist(input, p=2.0):
    """The distance of every two rows, each pair once.

    >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]]))
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if not input.dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    _sized("pdist", p)
    n = len(input)
    if n < 2:
        return input.reshape(-1)[:0]
    rows, columns = _C.quietly(lambda: _C.triangle_indices(n, n, 1, True, None)).unbind()

    def compose(x):
        return cdist(x, x, p, "donot_use_mm_for_euclid_dist")[rows, columns]

    return _named("PdistBackward0", compose, input)


@_takes("input", "other")
def dist(input, other, p=2):
    """The p-norm of the difference.

    >>> torch.dist(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 6.0]))
    """
    return _named("DistBackward0", lambda a, b: _C.norm(a - b, float(p)), input, other)


@_with_out
@_takes("input")
def renorm(input, p, dim, maxnorm):
    """Slices along a dimension, made smaller where their p-norm is larger than `maxnorm`.

    >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1)
    """
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if input.ndim < 2:
        raise RuntimeError(
            f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions"
        )
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    dim = _dimension(dim, input.ndim) % input.ndim
    others = [d for d in range(input.ndim) if d != dim]

    def compose(x):
        norm = _C.vector_norm(x, float(p), others, True)
        return x * _C.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0)

    return _named("RenormBackward0", compose, input)
