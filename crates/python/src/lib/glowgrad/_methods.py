"""Methods of tensors that few programs need: resized memory, Python functions of elements."""

import math

import _glowgrad as _C
import glowgrad as _torch
from _glowgrad import TensorBase
from glowgrad._bytes import UntypedStorage
from glowgrad._place import _order, _placed_like, _sizes
from glowgrad._types import _DTYPES, TypedStorage, _fresh


# New tensors


def new(self, *args, device=None):
    """A tensor of this dtype: from sizes, from a row of numbers, or empty.

    >>> torch.ones(1).new([1, 2])
    """
    with self.device:
        return _fresh("new", self.dtype, args)


@_placed_like
def new_empty(self, *size, dtype=None, requires_grad=False):
    """A tensor to be filled, in this one's dtype and place.

    >>> torch.ones(1).new_empty(2, 3).shape
    """
    return _C.full(_sizes(size), 0, dtype or self.dtype, requires_grad, "new_empty")


@_placed_like
def new_empty_strided(self, size, stride, dtype=None, requires_grad=False):
    """A tensor to be filled whose elements lie this far apart, in this one's dtype and place.

    >>> torch.ones(1).new_empty_strided((2, 3), (1, 2)).stride()
    """
    dtype = dtype or self.dtype
    return _torch.empty_strided(size, stride, dtype=dtype, requires_grad=requires_grad)


# Python functions of elements


def _not_taped(name, x):
    if x.requires_grad:
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
            "instead."
        )


def _each(name, function, self, *others):
    for x in (self, *others):
        _not_taped(name, x)
        if x.dtype is not self.dtype:
            raise TypeError(
                f"{name}: expected torch.{self.dtype.scalar_name}Tensor for 'other' (got "
                f"torch.{x.dtype.scalar_name}Tensor)"
            )
    rows = [x.expand_as(self).reshape(-1).tolist() for x in (self, *others)]
    results = [function(*row) for row in zip(*rows)]
    if results:
        self.copy_(_C.from_data(results, None, False).to(self.dtype).reshape(self.shape))
    return self


def apply_(self, callable):
    """Writes what a Python function gives for each element; ops are far faster.

    >>> torch.tensor([1.0, 2.0]).apply_(lambda a: a * a)
    """
    return _each("apply_", callable, self)


def map_(self, other, callable):
    """Writes what a Python function gives for each pair of elements; ops are far faster.

    >>> torch.tensor([1.0, 2.0]).map_(torch.tensor([3.0, 4.0]), lambda a, b: a * b)
    """
    return _each("map_", callable, self, other)


def map2_(self, x, y, callable):
    """Writes what a Python function gives for elements of three tensors.

    >>> torch.ones(2).map2_(torch.ones(2), torch.ones(2), lambda a, b, c: a + b + c)
    """
    return _each("map2_", callable, self, x, y)


# Memory


def _dense(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def _viewed(storage, shape, strides, offset):
    """A view of the memory of a tensor, off the tape."""
    before = _C.set_grad_enabled(False)
    try:
        return storage.detach().as_strided(tuple(shape), tuple(strides), offset)
    finally:
        _C.set_grad_enabled(before)


def resize_(self, *sizes, memory_format=None):
    """Gives the tensor another shape; elements that are new are zero.

    >>> torch.arange(6).resize_(2, 2)
    """
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    shape = tuple(_sizes(sizes))
    if any(size < 0 for size in shape):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    if shape == tuple(self.shape):
        return self
    offset, n = self.storage_offset(), math.prod(shape)
    held = self._storage_bytes() // self.element_size()
    if offset + n <= held:
        return self._become(_viewed(self, shape, _dense(shape), offset))
    grown = _C.full((offset + n,), 0, self.dtype, False).to(self.device)
    if held:
        grown[:held] = _viewed(self, (held,), (1,), 0)
    return self._become(_viewed(grown, shape, _dense(shape), offset))


def resize_as_(self, the_template, *, memory_format=None):
    """Gives the tensor the shape of another.

    >>> torch.arange(6).resize_as_(torch.ones(2, 2))
    """
    return resize_(self, the_template.shape)


def resize(self, *sizes):
    """As `reshape`, by an older name.

    >>> torch.arange(6).resize(2, 3)
    """
    from warnings import warn

    warn("non-inplace resize is deprecated")
    shape = tuple(_sizes(sizes))
    if math.prod(shape) != self.numel():
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, shape))} ({math.prod(shape)} elements in "
            f"total), but the given tensor has a size of {'x'.join(map(str, self.shape))} "
            f"({self.numel()} elements). autograd's resize can only change the shape of a "
            "given tensor, while preserving the number of elements. "
        )
    return self.reshape(shape)


def resize_as(self, tensor):
    """As `reshape_as`, by an older name.

    >>> torch.arange(6).resize_as(torch.ones(2, 3))
    """
    return resize(self, *tensor.shape)


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Makes the tensor lie on the memory of another, or on a storage.

    >>> torch.tensor([0.0]).set_(torch.tensor([1.0, 2.0]))
    """
    if source is None:
        return self._become(_C.full((0,), 0, self.dtype, False))
    if isinstance(source, UntypedStorage):
        source = TypedStorage(wrap_storage=source, dtype=self.dtype)
    whole = source._tensor if isinstance(source, TypedStorage) else source
    if whole.dtype is not self.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {whole.dtype} to a tensor of type {self.dtype}"
        )
    if size is None:
        return self._become(whole.detach())
    size = (size,) if isinstance(size, int) else tuple(size)
    return self._become(_viewed(whole, size, stride or _dense(size), storage_offset))


def is_set_to(self, tensor):
    """Whether two tensors are the same elements of the same memory.

    >>> x = torch.ones(2)
    >>> x.is_set_to(x.view(2))
    """
    return (
        self._storage_id() == tensor._storage_id() and self.shape == tensor.shape
        and self.stride() == tensor.stride() and self.storage_offset() == tensor.storage_offset()
    )


def const_data_ptr(self):
    """As `data_ptr`.

    >>> x = torch.ones(2)
    >>> x.const_data_ptr() == x.data_ptr()
    """
    return self.data_ptr()


def storage(self):
    """The elements that this tensor and its views share.

    >>> torch.ones(2, 3).storage().size()
    """
    from warnings import warn

    warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be "
        "the only storage class. To access UntypedStorage directly, use tensor.untyped_storage() "
        "instead of tensor.storage()"
    )
    return TypedStorage(self)


def storage_type(self):
    """The class of storages of its dtype.

    >>> torch.ones(2).storage_type()
    """
    return getattr(_torch, f"{self.dtype.scalar_name}Storage")


def dim_order(self, *, ambiguity_check=False):
    """The dimensions, those whose neighbours are furthest apart in memory first.

    >>> torch.ones(2, 3).T.dim_order()
    """
    strides = self.stride()
    return tuple(sorted(range(self.ndim), key=lambda d: -strides[d]))


def share_memory_(self):
    """The tensor itself: everything runs in one process.

    >>> torch.ones(2).share_memory_().is_shared()
    """
    self._is_shared = True
    return self


def is_shared(self):
    """Whether `share_memory_` was called.

    >>> torch.ones(2).is_shared()
    """
    return self.is_cuda or getattr(self, "_is_shared", False)


def pin_memory(self, device=None):
    """The tensor itself: memory is copied to a device in one way.

    >>> torch.ones(2).pin_memory()
    """
    return self


def is_pinned(self, device=None):
    """Whether its memory is pinned: never.

    >>> torch.ones(2).is_pinned()
    """
    return False


# Kinds


def conj_physical_(self):
    """The tensor itself, which is real.

    >>> torch.ones(2).conj_physical_()
    """
    return self


def to_dense(self, dtype=None, *, masked_grad=True):
    """The tensor itself: every tensor is dense.

    >>> torch.ones(2).to_dense()
    """
    return self if dtype is None else self.to(dtype)


def dense_dim(self):
    """How many dimensions it has: all are dense.

    >>> torch.ones(2, 3).dense_dim()
    """
    return self.ndim


def sparse_dim(self):
    """How many sparse dimensions it has: none.

    >>> torch.ones(2, 3).sparse_dim()
    """
    return 0


def reinforce(self, *args, **kwargs):
    """PyTorch removed it: it raises.

    >>> hasattr(torch.Tensor, "reinforce")
    """
    raise RuntimeError(
        "reinforce() was removed.\nUse torch.distributions instead.\nSee "
        "https://pytorch.org/docs/main/distributions.html"
    )


def record_stream(self, stream):
    """Does nothing: memory goes back when nothing needs it.

    >>> torch.ones(2).record_stream(torch.Stream("cpu"))
    """
    if not hasattr(stream, "wait_stream"):
        raise RuntimeError("unknown parameter type")


def module_load(self, other, assign=False):
    """What `load_state_dict` puts in its place: itself with the other's numbers, or the other.

    >>> torch.zeros(2).module_load(torch.ones(2))
    """
    return other.detach() if assign else self.copy_(other).detach()


# Sums and fillings


def sum_to_size(self, *size):
    """Sums over the dimensions that were stretched from this size.

    >>> torch.ones(2, 3).sum_to_size(1, 3)
    """
    size = tuple(_sizes(size))
    extra = self.ndim - len(size)
    fits = extra >= 0 and all(n in (1, own) for n, own in zip(size, self.shape[max(extra, 0):]))
    if not fits:
        raise RuntimeError(
            f"size {{{list(size)}}} is not expandable to size {{{list(self.shape)}}}."
        )
    dims = list(range(extra))
    dims += [d + extra for d, n in enumerate(size) if n == 1 and self.shape[d + extra] != 1]
    return (self.sum(dims, True) if dims else self).view(size)


def fill_diagonal_(self, fill_value, wrap=False):
    """Writes one number on the diagonal; with `wrap`, again below it in a tall matrix.

    >>> torch.zeros(3, 3).fill_diagonal_(1)
    """
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    rows, columns = self.shape[0], self.shape[1]
    n, step = min(self.shape), sum(self.stride())
    self.as_strided((n,), (step,), self.storage_offset()).fill_(fill_value)
    # One row is left free below each diagonal.
    start = columns + 1
    while wrap and self.ndim == 2 and start < rows:
        offset = self.storage_offset() + start * self.stride(0)
        self.as_strided((min(columns, rows - start),), (step,), offset).fill_(fill_value)
        start += columns + 1
    return self
