"""`Tensor`, `Parameter`'s base, `Size` and `device`: what PyTorch writes in Python, written in Python.

Operators, indexing, `grad` and every op of the registry come from `TensorBase`; here are the
conveniences that are made of them. A `Tensor` can be subclassed.
"""

import _glowgrad as _C
from _glowgrad import TensorBase


class Size(tuple):
    """The shape of a tensor."""

    __slots__ = ()

    def numel(self):
        n = 1
        for size in self:
            n *= size
        return n

    def __getitem__(self, index):
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __repr__(self):
        return f"torch.Size([{', '.join(map(repr, self))}])"


class device:
    """Where a tensor is. Here: `cpu`."""

    def __init__(self, type="cpu", index=None):
        if isinstance(type, device):
            type = type.type
        name = str(type).split(":")[0]
        if name != "cpu":
            raise RuntimeError(
                f"device: got {type!r}, this lab computes on 'cpu'; leave device=… out"
            )
        self.type, self.index = name, None

    def __eq__(self, other):
        return isinstance(other, device) and self.type == other.type

    def __hash__(self):
        return hash(self.type)

    def __str__(self):
        return self.type

    def __repr__(self):
        return f"device(type={self.type!r})"


_CPU = device("cpu")


def _sizes(sizes):
    if len(sizes) == 1 and not isinstance(sizes[0], int):
        return sizes[0]
    return sizes


class Tensor(TensorBase):
    """Numbers of one dtype in a shape, with a place on the tape."""

    __module__ = "torch"
    device = property(lambda self: _CPU)
    is_cuda = False
    layout = "torch.strided"
    nbytes = property(lambda self: self.numel() * self.dtype.itemsize)
    itemsize = property(lambda self: self.dtype.itemsize)

    # Shape

    @property
    def T(self):
        return self if self.ndim < 2 else self.permute(*reversed(range(self.ndim)))

    @property
    def mT(self):
        return self.transpose(-2, -1)

    def t(self):
        if self.ndim > 2:
            raise RuntimeError(
                f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D"
            )
        return self if self.ndim < 2 else self.transpose(0, 1)

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return self.ndim

    def ndimension(self):
        return self.ndim

    def nelement(self):
        return self.numel()

    def element_size(self):
        return self.dtype.itemsize

    def stride(self, dim=None):
        strides = self._stride()
        return strides if dim is None else strides[dim]

    def view(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], _C.dtype):
            raise NotImplementedError("view(dtype) is not here; .to(dtype) converts the numbers")
        return self._view(_sizes(shape))

    def view_as(self, other):
        return self.view(other.shape)

    def reshape_as(self, other):
        return self.reshape(other.shape)

    def expand_as(self, other):
        return self.expand(other.shape)

    def unflatten(self, dim, sizes):
        dim = dim % self.ndim
        return self.reshape(*self.shape[:dim], *sizes, *self.shape[dim + 1:])

    def ravel(self):
        return self.reshape(-1)

    def swapaxes(self, axis0, axis1):
        return self.transpose(axis0, axis1)

    def movedim(self, source, destination):
        order = [d for d in range(self.ndim) if d != source % self.ndim]
        order.insert(destination % self.ndim, source % self.ndim)
        return self.permute(order)

    def repeat(self, *repeats):
        repeats = _sizes(repeats)
        shape = (1,) * (len(repeats) - self.ndim) + tuple(self.shape)
        x = self.reshape(shape)
        for dim, times in enumerate(repeats):
            if times != 1:
                x = _C.cat([x] * times, dim)
        return x if x is not self else self.clone()

    def unbind(self, dim=0):
        return tuple([self.select(dim, i) for i in range(self.shape[dim])])

    def split(self, split_size, dim=0):
        n = self.shape[dim]
        if isinstance(split_size, int):
            sizes = [min(split_size, n - start) for start in range(0, n, split_size)]
        else:
            sizes = list(split_size)
        if sum(sizes) != n:
            raise RuntimeError(
                f"split: sizes {sizes} must sum to {n}, the size of dimension {dim}"
            )
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        return tuple([self.narrow(dim, start, size) for start, size in zip(starts, sizes)])

    def chunk(self, chunks, dim=0):
        return self.split(-(-self.shape[dim] // chunks), dim)

    def __contains__(self, value):
        return bool((self == value).any())

    # Dtype

    def to(self, *args, **kwargs):
        dtype = kwargs.pop("dtype", None)
        kwargs.pop("non_blocking", None)
        copy = kwargs.pop("copy", False)
        device(kwargs.pop("device", "cpu"))
        if kwargs:
            raise TypeError(f"to() got an unexpected keyword argument {next(iter(kwargs))!r}")
        for argument in args:
            if isinstance(argument, TensorBase):
                dtype = argument.dtype
            elif isinstance(argument, _C.dtype):
                dtype = argument
            elif not isinstance(argument, bool):
                device(argument)
        result = self if dtype is None else self._to(dtype)
        return result.clone() if copy and result is self else result

    def type(self, dtype=None):
        if dtype is None:
            names = {"bool": "Bool", "int64": "Long", "float32": "Float", "float64": "Double"}
            return f"torch.{names[self.dtype.name]}Tensor"
        return self._to(dtype)

    def float(self):
        return self._to(_C.float32)

    def double(self):
        return self._to(_C.float64)

    def long(self):
        return self._to(_C.int64)

    def int(self):
        return self._to(_C.int64)

    def bool(self):
        return self._to(_C.bool)

    def type_as(self, other):
        return self._to(other.dtype)

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def cpu(self):
        return self

    def cuda(self, device=None):
        raise RuntimeError("cuda() is not in the lab: tensors here are on 'cpu'")

    def numpy(self):
        raise RuntimeError("numpy() is not in the lab; .tolist() gives Python lists")

    # The tape

    def requires_grad_(self, requires_grad=True):
        self.requires_grad = requires_grad
        return self

    def detach_(self):
        raise NotImplementedError("detach_() is not here; write x = x.detach()")

    def register_hook(self, hook):
        """Calls `hook(gradient)` when the gradient arrives; what it returns takes its place."""
        return _HookHandle(self, self._register_hook(hook))

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the "
                "deepcopy protocol at the moment"
            )
        with _no_grad():
            copy = self.detach().clone()
        copy = type(self)._make_subclass(type(self), copy, self.requires_grad)
        if self.grad is not None:
            copy.grad = self.grad.detach().clone()
        memo[id(self)] = copy
        return copy

    # Filling

    def zero_(self):
        return self.copy_(0)

    def fill_(self, value):
        return self.copy_(value)

    def uniform_(self, a=0.0, b=1.0, *, generator=None):
        return _C.uniform_(self, float(a), float(b), generator)

    def normal_(self, mean=0.0, std=1.0, *, generator=None):
        return _C.normal_(self, float(mean), float(std), generator)

    def bernoulli(self, *, generator=None):
        return (_C.rand(self.shape, _C.float64, False, generator) < self).to(self.dtype)

    def new_tensor(self, data, *, dtype=None, requires_grad=False):
        return _C.from_data(data, dtype or self.dtype, requires_grad)

    def new_zeros(self, *size, dtype=None, requires_grad=False):
        return _C.full(_sizes(size), 0, dtype or self.dtype, requires_grad)

    def new_ones(self, *size, dtype=None, requires_grad=False):
        return _C.full(_sizes(size), 1, dtype or self.dtype, requires_grad)

    def new_full(self, size, fill_value, *, dtype=None, requires_grad=False):
        return _C.full(size, fill_value, dtype or self.dtype, requires_grad)

    # Reductions with an index, and what is made of other ops

    def max(self, dim=None, keepdim=False):
        return _extreme(self, dim, keepdim, _C.amax, _C.argmax, _C.maximum, "max")

    def min(self, dim=None, keepdim=False):
        return _extreme(self, dim, keepdim, _C.amin, _C.argmin, _C.minimum, "min")

    def norm(self, p=2, dim=None, keepdim=False):
        if p in (2, "fro"):
            return (self * self).sum(dim, keepdim).sqrt()
        if p == 1:
            return self.abs().sum(dim, keepdim)
        if p == float("inf"):
            return self.abs().amax(dim, keepdim)
        return (self.abs() ** p).sum(dim, keepdim) ** (1 / p)

    def mm(self, other):
        if self.ndim != 2 or other.ndim != 2:
            raise RuntimeError(
                f"mm: got {self.ndim}-D and {other.ndim}-D tensors, expected two matrices; "
                "matmul takes other shapes"
            )
        return self @ other

    def mv(self, vector):
        if self.ndim != 2 or vector.ndim != 1:
            raise RuntimeError(
                f"mv: got {self.ndim}-D and {vector.ndim}-D tensors, expected a matrix and a vector"
            )
        return self @ vector

    def dot(self, other):
        if self.ndim != 1 or other.ndim != 1:
            raise RuntimeError(
                f"1D tensors expected, but got {self.ndim}D and {other.ndim}D tensors"
            )
        return self @ other

    def outer(self, other):
        return self.unsqueeze(1) * other.unsqueeze(0)

    def equal(self, other):
        return self.shape == other.shape and self.numel() == (self == other).sum().item()

    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        other = other if isinstance(other, TensorBase) else _C.from_data(other, self.dtype, False)
        with _no_grad():
            close = ((self - other).abs() <= atol + rtol * other.abs()) | (self == other)
            if equal_nan:
                close = close | (self.isnan() & other.isnan())
        return close

    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        if self.dtype != other.dtype:
            raise RuntimeError(
                f"allclose: got {self.dtype} and {other.dtype}, expected the same dtype"
            )
        return bool(self.isclose(other, rtol, atol, equal_nan).all())

    def nonzero(self, as_tuple=False):
        found = [i for i, on in enumerate((self != 0).reshape(-1).tolist()) if on]
        rows = []
        for at in found:
            row = []
            for size in reversed(self.shape):
                row.append(at % size)
                at //= size
            rows.append(row[::-1])
        if as_tuple:
            columns = list(zip(*rows)) or [()] * self.ndim
            return tuple([_C.from_data(list(column), _C.int64, False) for column in columns])
        if not rows:
            return _C.full((0, self.ndim), 0, _C.int64, False)
        return _C.from_data(rows, _C.int64, False)

    def masked_select(self, mask):
        return self.expand(mask.shape)[mask] if self.shape != mask.shape else self[mask]

    def topk(self, k, dim=-1, largest=True, sorted=True):
        values, indices = self.sort(dim, descending=largest)
        return _Named("topk", _VALUES, (values.narrow(dim, 0, k), indices.narrow(dim, 0, k)))

    def argsort(self, dim=-1, descending=False):
        rows = self.detach().movedim(dim, -1) if self.ndim > 1 else self.detach()
        order = _order(rows.tolist(), descending) if self.ndim else 0
        indices = _C.from_data(order, _C.int64, False)
        return indices.movedim(-1, dim) if self.ndim > 1 else indices

    def sort(self, dim=-1, descending=False):
        indices = self.argsort(dim, descending)
        return _Named("sort", _VALUES, (self.gather(dim, indices), indices))

    def unique(self, sorted=True):
        return _C.from_data(_in_order(set(self.reshape(-1).tolist())), self.dtype, False)

    def bincount(self, minlength=0):
        values = self.tolist()
        counts = [0] * max([minlength, *[value + 1 for value in values]])
        for value in values:
            counts[value] += 1
        return _C.from_data(counts, _C.int64, False)

    absolute = TensorBase.abs
    clip = TensorBase.clamp
    divide = true_divide = TensorBase.div
    multiply = TensorBase.mul
    negative = TensorBase.neg
    subtract = TensorBase.sub
    greater, greater_equal = TensorBase.gt, TensorBase.ge
    less, less_equal, not_equal = TensorBase.lt, TensorBase.le, TensorBase.ne


class _HookHandle:
    def __init__(self, tensor, number):
        self.tensor, self.number = tensor, number

    def remove(self):
        self.tensor._remove_hook(self.number)


def _no_grad():
    from glowgrad.autograd import no_grad

    return no_grad()


def _order(rows, descending):
    if rows and isinstance(rows[0], list):
        return [_order(row, descending) for row in rows]
    return sorted(range(len(rows)), key=rows.__getitem__, reverse=descending)


_in_order = sorted


_VALUES = ("values", "indices")


class _Named(tuple):
    """Several tensors by name: `values` and `indices`, as `max(dim)` and its like return them."""

    def __new__(cls, name, fields, values):
        self = tuple.__new__(cls, values)
        self.kind, self.fields = name, fields
        return self

    def __getattr__(self, name):
        fields = tuple.__getattribute__(self, "fields")
        if name in fields:
            return self[fields.index(name)]
        raise AttributeError(f"torch.return_types.{self.kind} has no {name}; it has {fields}")

    def __repr__(self):
        parts = [f"{field}={value!r}" for field, value in zip(self.fields, self)]
        return f"torch.return_types.{self.kind}(\n" + ",\n".join(parts) + ")"


def _extreme(x, dim, keepdim, reduce, argreduce, pairwise, name):
    if dim is None and x.numel() == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify "
            "the reduction dim with the 'dim' argument."
        )
    if dim is None:
        return reduce(x)
    if isinstance(dim, TensorBase):
        return pairwise(x, dim)
    if x.ndim == 0:
        return _Named(name, _VALUES, (x.clone(), _C.full((), 0, _C.int64, False)))
    indices = argreduce(x, dim, True)
    values = x.gather(dim, indices)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return _Named(name, _VALUES, (values, indices))


class Parameter(Tensor):
    """A tensor that a module learns."""

    __module__ = "torch.nn.parameter"

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _C.full((0,), 0.0, None, False)
        return Tensor._make_subclass(cls, data, requires_grad)

    def __repr__(self):
        return "Parameter containing:\n" + Tensor.__repr__(self)


_C.register(Tensor, Parameter, Size, _Named)
