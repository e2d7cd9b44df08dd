"""Tensors that are made: ranges with their end, one number, memory in an order of one's own."""

import math

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._compose import _takes
from glowgrad._out import _made
from glowgrad._place import _default, _device, _placed_like, _widest_float


@_made
def range(start, end, step=1, *, dtype=None, requires_grad=False):
    """The numbers start, start + step, … up to end, which is included; `arange` leaves it out.

    >>> torch.range(1, 2, 0.5)
    """
    from warnings import warn

    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces "
        "values in [start, end)."
    )
    start, end, step = [x.item() if isinstance(x, TensorBase) else x for x in (start, end, step)]
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    dtype = dtype or _default[0]
    if not dtype.is_floating_point:
        start, end, step = int(start), int(end), int(step)
    n = math.floor((end - start) / step + 1)
    exact = _widest_float(_device(None)) if dtype.is_floating_point else _C.int64
    result = (_C.arange(0, n, 1, exact, False) * step + start).to(dtype)
    return result.requires_grad_() if requires_grad else result


@_made
def scalar_tensor(s, *, dtype=None, requires_grad=False):
    """A tensor without dimensions that holds one number.

    >>> torch.scalar_tensor(3)
    """
    return _C.full((), s, dtype or _default[0], requires_grad)


@_takes("input")
def fill(input, value):
    """One number everywhere, in the shape and dtype of a tensor.

    >>> torch.fill(torch.zeros(2), 7)
    """
    if isinstance(value, TensorBase) and value.ndim:
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value.ndim} dimensions."
        )
    inputs = [input, value] if isinstance(value, TensorBase) else [input]

    def rule(gradient):
        return (gradient * 0, gradient.sum())[:len(inputs)]

    result = _C.full(input.shape, 0, input.dtype, False, "fill")
    result.copy_(value.detach() if len(inputs) == 2 else value)
    return _C.custom("FillBackward0", rule, inputs, result)


@_made
def empty_strided(size, stride, *, dtype=None, requires_grad=False):
    """A tensor to be filled whose neighbours lie this many elements apart in each dimension.

    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    """
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides "
            f"({len(stride)})"
        )
    n = 1
    for length, step in zip(size, stride):
        n = 0 if length == 0 or n == 0 else n + (length - 1) * step
    held = _C.full((n,), 0, dtype or _default[0], False, "empty_strided")
    made = held.as_strided(tuple(size), tuple(stride), 0)
    return made.requires_grad_() if requires_grad else made


@_made
def empty_permuted(size, physical_layout, *, dtype=None, requires_grad=False):
    """A tensor to be filled whose dimensions lie in this order in memory.

    >>> torch.empty_permuted((2, 3, 5), (0, 2, 1)).stride()
    """
    if len(size) != len(physical_layout):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    seen, stride, step = set(), [0] * len(size), 1
    for d in reversed(physical_layout):
        if not 0 <= d < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got "
                f"{d} at index 0).  NB: negative dims not currently supported; file an issue if "
                "you want it."
            )
        if d in seen:
            raise RuntimeError("Duplicate dim not allowed")
        seen.add(d)
        stride[d], step = step, step * size[d]
    return empty_strided(size, stride, dtype=dtype, requires_grad=requires_grad)


@_placed_like
def randint_like(input, low, high=None, *, generator=None, dtype=None, requires_grad=False):
    """Random integers from low to high, which is not included, in the shape of another tensor.

    >>> torch.randint_like(torch.ones(2, 3), 10).shape
    """
    if high is None:
        low, high = 0, low
    drawn = _C.randint(low, high, tuple(input.shape), dtype or input.dtype, generator)
    return drawn.requires_grad_() if requires_grad else drawn


@_made
def from_file(filename, shared=None, size=0, *, dtype=None):
    """The first numbers of a file, as many as `size`; what is written into them stays here.

    >>> callable(torch.from_file)
    """
    if shared:
        raise NotImplementedError(
            "from_file: a tensor does not write to its file; leave shared out, and write it back"
        )
    dtype = dtype or _default[0]
    with open(filename, "rb") as file:
        data = file.read(size * dtype.itemsize)
    return _C.frombuffer(data, dtype, size, 0) if size else _C.full((0,), 0, dtype, False)
