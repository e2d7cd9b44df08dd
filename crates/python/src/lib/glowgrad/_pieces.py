"""Tensors cut into pieces, and pieces written back into a copy of the whole."""

import itertools

import _glowgrad as _C
import glowgrad as _torch
from _glowgrad import TensorBase
from glowgrad._compose import _named, _takes
from glowgrad._out import _with_out
from glowgrad._tensor import _dimension


# Pieces


def _split_along(name, input, indices_or_sections, dim, least):
    if input.ndim < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor "
            f"with {input.ndim} dimensions!"
        )
    if not isinstance(indices_or_sections, (int, list, tuple, TensorBase)):
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (Tensor, "
            f"{type(indices_or_sections).__name__}), but expected a number of sections or indices"
        )
    n, sections = input.shape[dim], indices_or_sections
    if isinstance(sections, int) and (sections < 1 or n % sections):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{n} is not divisible by the split_size {sections}!"
        )
    return input.tensor_split(sections, dim)


@_takes("input")
def hsplit(input, indices_or_sections):
    """Pieces side by side: along the second dimension, or the only one.

    >>> torch.hsplit(torch.arange(8).reshape(2, 4), 2)
    """
    dim = 1 if input.ndim > 1 else 0
    return _split_along("hsplit", input, indices_or_sections, dim, 1)


@_takes("input")
def vsplit(input, indices_or_sections):
    """Pieces one below the other: along the first dimension.

    >>> torch.vsplit(torch.arange(8).reshape(4, 2), 2)
    """
    return _split_along("vsplit", input, indices_or_sections, 0, 2)


@_takes("input")
def dsplit(input, indices_or_sections):
    """Pieces one behind the other: along the third dimension.

    >>> torch.dsplit(torch.arange(8).reshape(2, 2, 2), 2)
    """
    return _split_along("dsplit", input, indices_or_sections, 2, 3)


@_takes("input")
def split_with_sizes(input, split_sizes, dim=0):
    """Pieces of these sizes along a dimension.

    >>> torch.split_with_sizes(torch.arange(5), [2, 3])
    """
    if any(size < 0 for size in split_sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(split_sizes)}"
        )
    return _C.split(input, list(split_sizes), dim)


@_takes("input")
def unsafe_split(input, split_size, dim=0):
    """As `split`.

    >>> torch.unsafe_split(torch.arange(4), 2)
    """
    if not isinstance(split_size, int):
        raise TypeError(
            "unsafe_split(): argument 'split_size' (position 2) must be int, not "
            + type(split_size).__name__
        )
    return _C.split(input, split_size, dim)


@_takes("input")
def unsafe_split_with_sizes(input, split_sizes, dim=0):
    """As `split_with_sizes`.

    >>> torch.unsafe_split_with_sizes(torch.arange(5), [2, 3])
    """
    return split_with_sizes(input, split_sizes, dim)


@_takes("input")
def unsafe_chunk(input, chunks, dim=0):
    """As `chunk`.

    >>> torch.unsafe_chunk(torch.arange(4), 2)
    """
    return _C.chunk(input, chunks, dim)


# Pieces written back


def _written(name, input, src, piece):
    """A copy of the input in which `src` stands where `piece` finds a view."""

    def compose(input, src):
        copy = input.clone()
        view = piece(copy)
        if view.shape != src.shape:
            raise RuntimeError(
                "expected src to have a size equal to the slice of self. src size = "
                f"{list(src.shape)}, slice size = {list(view.shape)}"
            )
        view.copy_(src)
        return copy

    return _named(name, compose, input, src)


@_with_out
@_takes("input", "src")
def select_scatter(input, src, dim, index):
    """A copy in which another tensor stands at one index of a dimension.

    >>> torch.select_scatter(torch.zeros(2, 3), torch.ones(3), 0, 1)
    """
    return _written("SelectScatterBackward0", input, src, lambda x: x.select(dim, index))


@_with_out
@_takes("input", "src")
def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """A copy in which another tensor stands in a slice of a dimension.

    >>> torch.slice_scatter(torch.zeros(4), torch.ones(2), start=2)
    """
    return _written(
        "SliceScatterBackward0", input, src, lambda x: _slice(x, dim, start, end, step)
    )


def _slice(x, dim, start, end, step):
    dim = _dimension(dim, x.ndim) % x.ndim
    return x[(slice(None),) * dim + (slice(start, end, step),)]


def slice_inverse(input, src, dim=0, start=None, end=None, step=1):
    """The tensor of which the first is a slice: `src`, where its slice is the input's memory.

    >>> x = torch.zeros(4)
    >>> torch.slice_inverse(x[1:], x, start=1).shape
    """
    return src


@_with_out
@_takes("input", "src")
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy in which another tensor stands on a diagonal.

    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.ones(2))
    """
    return _written(
        "DiagonalScatterBackward0", input, src, lambda x: x.diagonal(offset, dim1, dim2)
    )


@_with_out
@_takes("input", "src")
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy in which another tensor stands where `as_strided` finds a view.

    >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (3,))
    """
    offset = storage_offset or 0
    return _written(
        "AsStridedScatterBackward0", input, src, lambda x: x.as_strided(size, stride, offset)
    )


@_takes("input")
def constant_pad_nd(input, pad, value=0):
    """The tensor with one number around it; pairs of widths, those of the last dimension first.

    >>> torch.constant_pad_nd(torch.ones(2), (1, 2))
    """
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    return _torch.nn.functional.pad(input, list(pad), "constant", value)


# Dimensions


def _raised(name, tensors, raise_one):
    one = len(tensors) == 1 and isinstance(tensors[0], TensorBase)
    several = tensors[0] if len(tensors) == 1 and not one else tensors
    listed = isinstance(several, (list, tuple))
    if not listed or not all(isinstance(x, TensorBase) for x in several):
        kinds = ", ".join(type(x).__name__ for x in tensors)
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({kinds}), but expected "
            "tensors"
        )
    raised = tuple([raise_one(x) for x in several])
    return raised[0] if one else raised


def atleast_1d(*tensors):
    """The tensor, with a dimension if it has none.

    >>> torch.atleast_1d(torch.tensor(3.0))
    """
    return _raised("atleast_1d", tensors, lambda x: x if x.ndim else x.reshape(1))


def atleast_2d(*tensors):
    """The tensor, as a row if it has fewer than two dimensions.

    >>> torch.atleast_2d(torch.tensor([1.0, 2.0]))
    """
    return _raised("atleast_2d", tensors, _as_rows)


def _as_rows(x):
    return x if x.ndim > 1 else x.unsqueeze(0) if x.ndim else x.reshape(1, 1)


def atleast_3d(*tensors):
    """The tensor, with dimensions of size 1 if it has fewer than three.

    >>> torch.atleast_3d(torch.tensor([1.0, 2.0])).shape
    """
    return _raised("atleast_3d", tensors, lambda x: x if x.ndim > 2 else _as_rows(x).unsqueeze(-1))


@_takes("input")
def combinations(input, r=2, with_replacement=False):
    """Every choice of r elements, one in each row.

    >>> torch.combinations(torch.tensor([1, 2, 3]))
    """
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return _C.full((0,), 0, input.dtype, False)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = [list(row) for row in choose(range(len(input)), r)]
    if not rows:
        return input[:0].reshape(0, r)
    return input[_C.quietly(lambda: _C.from_data(rows, _C.int64, False))]
