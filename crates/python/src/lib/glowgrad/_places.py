"""Elements found, counted and written by their places."""

import _glowgrad as _C
import glowgrad as _torch
from _glowgrad import TensorBase
from glowgrad._compose import _meet, _named, _takes
from glowgrad._out import _with_out
from glowgrad._tensor import _dimension


@_with_out
@_takes("input", "index", "source")
def put(input, index, source, accumulate=False):
    """A copy with numbers written at places, counted as if it had one dimension.

    >>> torch.put(torch.zeros(2, 2), torch.tensor([0, 3]), torch.tensor([1.0, 2.0]))
    """
    if index.dtype not in (_C.int64, _C.int32):
        raise RuntimeError(
            f"put_(): Expected a long tensor for index, but got {index.dtype.scalar_name}"
        )
    if input.dtype is not source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{input.dtype.scalar_name} and source.dtype = {source.dtype.scalar_name}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.numel()}, index.numel() = {index.numel()}"
        )
    n = input.numel()
    if not _C.is_capturing() and index.numel():
        for wrong in _C.quietly(lambda: index[(index < -n) | (index >= n)].tolist()):
            raise IndexError(
                f"out of range: tried to access index {wrong} on a tensor of {n} elements."
            )
    places = _C.where(index < 0, index + n, index).reshape(-1)

    def compose(x, source):
        flat = x.reshape(-1).index_put((places,), source.reshape(-1), accumulate)
        return flat.reshape(x.shape)

    return _named("PutBackward0", compose, input, source)


@_with_out
@_takes("input")
def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    """A copy into whose slices at `index` those of `source` are multiplied, averaged or compared.

    >>> index, rows = torch.tensor([0, 0]), torch.tensor([[2.0], [3.0]])
    >>> torch.index_reduce(torch.ones(2, 1), 0, index, rows, "prod")
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    if index.ndim > 1:
        raise IndexError(
            f"index_reduce_(): Index is supposed to be a vector, but got dim: {index.ndim} with "
            f"type: {index.dtype.scalar_name} and size: {list(index.shape)}"
        )
    if input.dtype is not source.dtype:
        raise RuntimeError(
            f"index_reduce_(): self ({input.dtype.scalar_name}) and source "
            f"({source.dtype.scalar_name}) must have the same scalar type"
        )
    dim = _dimension(dim, input.ndim) % max(input.ndim, 1)
    size = source.shape[dim] if source.ndim else 1
    if index.numel() != size:
        raise RuntimeError(
            f"index_reduce_(): Number of indices ({index.numel()}) should be equal to "
            f"source.size(dim): ({size}), for dim: {dim}"
        )
    n = input.shape[dim] if input.ndim else 1
    if not _C.is_capturing() and size:
        if _C.quietly(lambda: ((index < 0) | (index >= n)).any().item()):
            raise IndexError("index out of range in self")
    places = index.long().reshape([-1 if d == dim else 1 for d in range(source.ndim)])
    places = places.expand(source.shape)

    def compose(x, source):
        return _C.scatter_reduce(x, dim, places, source, reduce, include_self=include_self)

    return _named("IndexReduceBackward0", compose, input, source)


@_with_out
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Which elements are among those of another tensor.

    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([3, 1]))
    """
    tensors = [x for x in (elements, test_elements) if isinstance(x, TensorBase)]
    if not tensors:
        raise TypeError(
            "isin() received an invalid combination of arguments - got "
            f"({type(elements).__name__}, {type(test_elements).__name__}), but expected a tensor"
        )
    for x in tensors:
        if x.dtype is _C.bool:
            raise NotImplementedError("Unsupported input type encountered for isin(): Bool")
    device = tensors[0].device
    a, b = [
        x.detach() if isinstance(x, TensorBase) else _torch.tensor(x, device=device)
        for x in (elements, test_elements)
    ]
    dtype = _meet(a, b) if a.ndim and b.ndim else (a if a.ndim else b).dtype
    a, b = a.to(dtype), b.to(dtype).reshape(-1)
    if b.numel() == 0:
        found = _C.full(a.shape, False, _C.bool, False)
    elif b.numel() < 32:
        found = (a.unsqueeze(-1) == b).any(-1)
    else:
        rows = b.sort().values
        places = _C.searchsorted(rows, a.contiguous()).clamp(max=len(rows) - 1)
        found = rows[places] == a
    return ~found if invert else found


@_with_out
@_takes("input")
def nonzero_static(input, *, size, fill_value=-1):
    """The places of `size` elements that are not zero; rows that remain hold `fill_value`.

    >>> torch.nonzero_static(torch.tensor([0, 7, 0, 7]), size=3)
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = input.nonzero()[:size]
    rest = _C.full((size - len(found), input.ndim), fill_value, _C.int64, False)
    return _C.cat([found, rest])


@_takes("input")
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements without those that equal the one before.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]))
    """
    rows = input.reshape(-1) if dim is None else input.movedim(_dimension(dim, input.ndim), 0)
    n = rows.shape[0]
    flat = rows.detach().reshape(n, -1) if rows.numel() else _C.full((n, 1), 0, _C.int64, False)
    first = _C.full((min(n, 1),), True, _C.bool, False)
    changes = _C.cat([first, (flat[1:] != flat[:-1]).any(1)]) if n else first
    results = [rows[changes] if dim is None else rows[changes].movedim(0, dim)]
    if return_inverse:
        inverse = changes.cumsum(0) - 1
        results.append(inverse.reshape(input.shape) if dim is None else inverse)
    if return_counts:
        starts = changes.nonzero().reshape(-1)
        results.append(_C.cat([starts, _C.full((1,), n, _C.int64, False)])[1:] - starts)
    return results[0] if len(results) == 1 else tuple(results)


def unravel_index(indices, shape):
    """The index in each dimension of places that were counted as if there were one.

    >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
    """
    if not isinstance(indices, TensorBase):
        raise AttributeError(f"'{type(indices).__name__}' object has no attribute 'is_complex'")
    if indices.dtype.is_floating_point or indices.dtype is _C.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, list, tuple)):
        raise TypeError(
            f"expected 'shape' to be int or sequence of ints, but got {type(shape)}"
        )
    sizes = [shape] if isinstance(shape, int) else list(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(
                f"expected 'shape' sequence to only contain ints, but got {type(size)}"
            )
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    found, step = [], 1
    for size in reversed(sizes):
        found.append(_C.floor_divide(indices, step) % size)
        step *= size
    return tuple(reversed(found))


# Segments

_STARTS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": float("-inf"), "min": float("inf")}
_LONGER = {"amax": "max", "amin": "min"}


@_takes("data")
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False,
                   initial=None):
    """The sum, mean, product or extreme of each of the segments that lie one after the other.

    >>> torch.segment_reduce(torch.arange(5.0), "sum", lengths=torch.tensor([2, 3]))
    """
    reduce = _LONGER.get(reduce, reduce)
    if reduce not in _STARTS:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if not data.dtype.is_floating_point:
        raise NotImplementedError(
            f'"_segment_reduce_cpu" not implemented for \'{data.dtype.scalar_name}\''
        )
    if lengths is None:
        lengths = offsets[..., 1:] - offsets[..., :-1]
    axis = axis % max(data.ndim, 1)
    if axis != lengths.ndim - 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of lengths but got {axis}."
        )
    outer, n, inner = lengths.shape[:-1], data.shape[axis], data.shape[axis + 1:]
    n_segments = lengths.shape[-1]
    rows = lengths.reshape(-1, n_segments).tolist()
    if not unsafe:
        if any(length < 0 for row in rows for length in row):
            raise RuntimeError("lengths contains negative value!")
        if any(sum(row) != n for row in rows):
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to "
                "data.size(lengths.dim()-1) when !unsafe."
            )
    # The segment of each row of data, all outer dimensions in one; what is in no segment goes last.
    places = []
    for o, row in enumerate(rows):
        own = [o * n_segments + s for s, length in enumerate(row) for _ in range(length)]
        places += own + [len(rows) * n_segments] * (n - len(own))
    places = _C.from_data(places, _C.int64, False) if places else _C.full((0,), 0, _C.int64, False)
    start = _STARTS[reduce] if initial is None else float(initial)

    def compose(data):
        flat = data.reshape(len(rows) * n, -1)
        result = _C.full((len(rows) * n_segments + 1, flat.shape[1]), start, data.dtype, False)
        if reduce in ("sum", "mean"):
            result = result.index_add(0, places, flat)
        else:
            kind = {"max": "amax", "min": "amin", "prod": "prod"}[reduce]
            where = places.unsqueeze(1).expand(flat.shape)
            result = _C.scatter_reduce(result, 0, where, flat, kind, include_self=True)
        result = result[:-1].reshape(*outer, n_segments, *inner)
        if reduce == "mean":
            counts = lengths.reshape(*lengths.shape, *(1,) * len(inner)).to(data.dtype)
            result = result / (counts if initial is None else counts.clamp(min=1))
        return result

    return _named("SegmentReduceBackward0", compose, data)
