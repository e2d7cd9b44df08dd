"""`Tensor` and `Parameter`: what PyTorch writes in Python, written in Python.

Operators, indexing, `grad` and every op of the registry come from `TensorBase`; here are the
conveniences that are made of them. A `Tensor` can be subclassed.
"""

from _weakref import ref as _ref

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._contents import _add_methods
from glowgrad._later import _later
from glowgrad._place import (
    Size, device, strided, _device, _in_order, _order, _placed_like, _sizes,
)


class Tensor(TensorBase):
    """Numbers of one dtype in a shape, with a place on the tape.

    >>> torch.Tensor([1.0, 2.0])
    """

    __module__ = "torch"
    is_cuda, is_cpu, is_meta = [
        property(
            lambda self, kind=kind: self.device.type == kind,
            doc=f"Whether the tensor is {where}. >>> torch.ones(1).is_{kind}",
        )
        for kind, where in (
            ("cuda", "on a CUDA device"), ("cpu", "on the CPU"), ("meta", "without numbers"),
        )
    ]
    layout = strided
    is_sparse = is_sparse_csr = is_quantized = is_nested = is_mkldnn = False
    is_mps = is_xla = is_xpu = is_ipu = is_maia = is_mtia = is_vulkan = False
    name, output_nr, volatile = None, 0, False
    grad_dtype = property(
        lambda self: self.dtype, doc="The dtype of its gradient. >>> torch.ones(1).grad_dtype"
    )
    real = property(
        lambda self: self, doc="The real part, which is all of it. >>> torch.ones(1).real"
    )
    nbytes = property(
        lambda self: self.numel() * self.dtype.itemsize,
        doc="How many bytes its elements take. >>> torch.ones(2, 3).nbytes",
    )
    itemsize = property(
        lambda self: self.dtype.itemsize,
        doc="How many bytes one element takes. >>> torch.ones(1).itemsize",
    )

    @property
    def device(self):
        """Where the tensor is. >>> torch.ones(1).device"""
        kind = _C.device_of(self)
        return device(kind, None if kind in ("cpu", "meta") else 0)

    # Shape

    @property
    def T(self):
        """The tensor with its dimensions in reverse order: the transpose of a matrix.
        >>> torch.ones(2, 3).T.shape"""
        return self if self.ndim < 2 else self.permute(*reversed(range(self.ndim)))

    @property
    def mT(self):
        """The tensor with its last two dimensions swapped. >>> torch.ones(4, 2, 3).mT.shape"""
        if self.ndim < 2:
            raise RuntimeError(
                "tensor.mT is only supported on matrices or batches of matrices. Got "
                f"{self.ndim}-D tensor."
            )
        return self.transpose(-2, -1)

    @property
    def H(self):
        """The transpose of a matrix. >>> torch.ones(2, 3).H.shape"""
        if self.ndim not in (0, 2):
            batch = "" if self.ndim < 2 else ". For batches of matrices, consider using tensor.mH"
            raise RuntimeError(
                "tensor.H is only supported on matrices (2-D tensors). Got "
                f"{self.ndim}-D tensor{batch or '.'}"
            )
        return self.transpose(-2, -1) if self.ndim else self

    @property
    def imag(self):
        """Complex numbers alone have one: it raises. >>> torch.ones(1).is_complex()"""
        raise TypeError("imag is not implemented for tensors with non-complex dtypes.")

    def adjoint(self):
        """The tensor with its last two dimensions swapped.
        >>> torch.ones(4, 2, 3).adjoint().shape"""
        if self.ndim == 1:
            raise RuntimeError(
                "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D "
                "tensor."
            )
        return self.transpose(-2, -1) if self.ndim else self

    def size(self, dim=None):
        """The shape, or the size of one dimension. >>> torch.ones(2, 3).size(1)"""
        return self.shape if dim is None else self.shape[_dimension(dim, self.ndim)]

    def dim(self):
        """How many dimensions the tensor has. >>> torch.ones(2, 3).dim()"""
        return self.ndim

    def ndimension(self):
        """How many dimensions the tensor has. >>> torch.ones(2, 3).ndimension()"""
        return self.ndim

    def nelement(self):
        """How many elements the tensor has. >>> torch.ones(2, 3).nelement()"""
        return self.numel()

    def element_size(self):
        """How many bytes one element takes. >>> torch.ones(1).element_size()"""
        return self.dtype.itemsize

    def stride(self, dim=None):
        """How many elements lie between neighbours of each dimension.
        >>> torch.ones(2, 3).stride()"""
        strides = self._stride()
        return strides if dim is None else strides[_dimension(dim, self.ndim)]

    def untyped_storage(self):
        """The bytes that this tensor and its views share.
        >>> torch.ones(3).untyped_storage().nbytes()"""
        from glowgrad._bytes import UntypedStorage

        return UntypedStorage(self)

    def view(self, *shape, dtype=None):
        if dtype is None and len(shape) == 1 and isinstance(shape[0], _C.dtype):
            return self._view_dtype(shape[0])
        if dtype is not None and not shape:
            return self._view_dtype(dtype)
        if not shape:
            raise TypeError("view() missing the sizes, such as x.view(2, 3)")
        return TensorBase.view(self, _sizes(shape))

    def view_as(self, other):
        """A view in the shape of another tensor. >>> torch.arange(6).view_as(torch.ones(2, 3))"""
        return self.view(other.shape)

    def reshape_as(self, other):
        """The elements in the shape of another tensor.
        >>> torch.arange(6).reshape_as(torch.ones(2, 3))"""
        return self.reshape(other.shape)

    def expand_as(self, other):
        """A view that repeats dimensions of size 1 to the shape of another tensor.
        >>> torch.tensor([[1], [2]]).expand_as(torch.ones(2, 3))"""
        return self.expand(other.shape)

    def ravel(self):
        """All elements in one dimension. >>> torch.ones(2, 3).ravel().shape"""
        return self.reshape(-1)

    def unfold(self, dimension, size, step):
        return _C.tensor_unfold(self, dimension, size, step)

    def index_put(self, indices, values, accumulate=False):
        """A copy with values written at indices.
        >>> torch.zeros(3).index_put((torch.tensor([1]),), torch.tensor(5.0))"""
        return self._index_put(indices, values, accumulate, False)

    def index_put_(self, indices, values, accumulate=False):
        """Writes values at indices.
        >>> torch.zeros(3).index_put_((torch.tensor([1]),), torch.tensor(5.0))"""
        return self._index_put(indices, values, accumulate, True)

    def __contains__(self, value):
        if not isinstance(value, (TensorBase, int, float, bool)):
            raise RuntimeError(
                "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                f"{type(value)}."
            )
        return bool((self == value).any())

    # Dtype

    def to(self, *args, **kwargs):
        dtype = kwargs.pop("dtype", None)
        kwargs.pop("non_blocking", None)
        copy = kwargs.pop("copy", False)
        where = kwargs.pop("device", None)
        order = kwargs.pop("memory_format", None)
        if kwargs:
            raise TypeError(f"to() got an unexpected keyword argument {next(iter(kwargs))!r}")
        for argument in args:
            if isinstance(argument, TensorBase):
                dtype, where = argument.dtype, argument.device
            elif isinstance(argument, _C.dtype):
                dtype = argument
            elif argument is not None and not isinstance(argument, bool):
                where = argument
        result = self if dtype is None else self._to(dtype)
        if where is not None:
            result = _C.to_device(result, _device(where)._opened())
        result = TensorBase.clone(result) if copy and result is self else result
        return result if order is None else _order(result, order)

    def clone(self, *, memory_format=None):
        return _order(TensorBase.clone(self), memory_format)

    def contiguous(self, memory_format=None):
        return TensorBase.contiguous(self) if memory_format is None else _order(self, memory_format)

    def is_contiguous(self, memory_format=None):
        if memory_format is None:
            return TensorBase.is_contiguous(self)
        return _in_order(self, memory_format)

    def type(self, dtype=None, non_blocking=False):
        """The tensor in another dtype; without one, the name of its type.
        >>> torch.tensor([1.5]).type(torch.int64)"""
        if dtype is None:
            return f"torch.{self.dtype.scalar_name}Tensor"
        if not isinstance(dtype, _C.dtype):
            from glowgrad._types import _dtype_of

            dtype = _dtype_of(dtype)
        return self._to(dtype)

    def float(self, memory_format=None):
        """As float32. >>> torch.tensor([1, 2]).float()"""
        return _order(self._to(_C.float32), memory_format)

    def double(self, memory_format=None):
        """As float64. >>> torch.tensor([1, 2]).double()"""
        return _order(self._to(_C.float64), memory_format)

    def half(self, memory_format=None):
        """As float16. >>> torch.tensor([1, 2]).half()"""
        return _order(self._to(_C.float16), memory_format)

    def bfloat16(self, memory_format=None):
        """As bfloat16. >>> torch.tensor([1, 2]).bfloat16()"""
        return _order(self._to(_C.bfloat16), memory_format)

    def long(self, memory_format=None):
        """As int64. >>> torch.tensor([1.5]).long()"""
        return _order(self._to(_C.int64), memory_format)

    def int(self, memory_format=None):
        """As int32. >>> torch.tensor([1.5]).int()"""
        return _order(self._to(_C.int32), memory_format)

    def short(self, memory_format=None):
        """As int16. >>> torch.tensor([1.5]).short()"""
        return _order(self._to(_C.int16), memory_format)

    def char(self, memory_format=None):
        """As int8. >>> torch.tensor([1.5]).char()"""
        return _order(self._to(_C.int8), memory_format)

    def byte(self, memory_format=None):
        """As uint8. >>> torch.tensor([1.5]).byte()"""
        return _order(self._to(_C.uint8), memory_format)

    def bool(self, memory_format=None):
        """As bool: what is not 0 is True. >>> torch.tensor([0, 2]).bool()"""
        return _order(self._to(_C.bool), memory_format)

    def type_as(self, other):
        """In the dtype of another tensor. >>> torch.tensor([1]).type_as(torch.ones(1))"""
        return self._to(other.dtype)

    def is_floating_point(self):
        """Whether its dtype is one of floats. >>> torch.tensor([1.0]).is_floating_point()"""
        return self.dtype.is_floating_point

    def cpu(self, memory_format=None):
        """The tensor on the CPU. >>> torch.ones(1).cpu().device"""
        return self.to("cpu", memory_format=memory_format)

    def cuda(self, device=None, non_blocking=False, memory_format=None):
        """The tensor on a CUDA device. >>> torch.ones(1).is_cuda"""
        return self.to("cuda" if device is None else device, memory_format=memory_format)

    def numpy(self, *, force=False):
        """An array of NumPy's on the same memory; with `force` of a copy where that cannot be.
        >>> torch.ones(2).numpy()"""
        from numpy._core import from_tensor

        return from_tensor(self.detach().cpu() if force else self)

    def __array__(self, dtype=None):
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    # The tape

    def requires_grad_(self, requires_grad=True):
        """Says whether gradients are collected for this leaf. >>> torch.ones(2).requires_grad_()"""
        self.requires_grad = requires_grad
        return self

    def register_hook(self, hook):
        """Calls `hook(gradient)` when the gradient arrives; what it returns takes its place.

        >>> x = torch.ones(1, requires_grad=True)
        >>> x.register_hook(lambda gradient: gradient * 10)
        >>> x.sum().backward()
        >>> x.grad
        """
        return _HookHandle(self, self._register_hook(hook))

    def register_post_accumulate_grad_hook(self, hook):
        """Calls `hook(self)` each time after the gradient of this leaf has grown.

        >>> x = torch.ones(1, requires_grad=True)
        >>> x.register_post_accumulate_grad_hook(lambda leaf: print("arrived"))
        >>> x.sum().backward()
        >>> x.grad
        """
        # The hook gets this very object, which is a key of dicts; the engine knows the tensor alone.
        own = _ref(self)

        def call(leaf):
            this = own()
            hook(leaf if this is None else this)

        return _HookHandle(self, self._register_post_accumulate_grad_hook(call))

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

    # Another shape, for this very tensor

    def _reshaped_in_place(name):
        def method(self, *args, **kwargs):
            if self.is_leaf and self.requires_grad and _C.is_grad_enabled():
                raise RuntimeError(
                    "a leaf Variable that requires grad is being used in an in-place operation."
                )
            return self._become(getattr(self, name)(*args, **kwargs))

        method.__name__ = f"{name}_"
        return method

    as_strided_ = _reshaped_in_place("as_strided")
    squeeze_ = _reshaped_in_place("squeeze")
    swapaxes_ = _reshaped_in_place("swapaxes")
    t_ = _reshaped_in_place("t")
    transpose_ = _reshaped_in_place("transpose")

    def swapdims_(self, dim0, dim1):
        """Swaps two of its dimensions. >>> torch.ones(2, 3).swapdims_(0, 1).shape"""
        return self.swapaxes_(dim0, dim1)

    unsqueeze_ = _reshaped_in_place("unsqueeze")

    from glowgrad._filling import (
        zero_, fill_, uniform_, normal_, bernoulli, multinomial, bernoulli_, exponential_,
        log_normal_, cauchy_, geometric_, random_,
    )

    @_placed_like
    def new_tensor(self, data, *, dtype=None, requires_grad=False):
        """A tensor with these numbers in this one's dtype and place.
        >>> torch.ones(1).new_tensor([1, 2])"""
        return _C.from_data(data, dtype or self.dtype, requires_grad)

    @_placed_like
    def new_zeros(self, *size, dtype=None, requires_grad=False):
        """Zeros in this tensor's dtype and place. >>> torch.ones(1).new_zeros(2, 3)"""
        return _C.full(_sizes(size), 0, dtype or self.dtype, requires_grad, "new_zeros")

    @_placed_like
    def new_ones(self, *size, dtype=None, requires_grad=False):
        """Ones in this tensor's dtype and place. >>> torch.zeros(1).new_ones(2)"""
        return _C.full(_sizes(size), 1, dtype or self.dtype, requires_grad, "new_ones")

    @_placed_like
    def new_full(self, size, fill_value, *, dtype=None, requires_grad=False):
        """One number everywhere, in this tensor's dtype and place.
        >>> torch.zeros(1).new_full((2,), 7.0)"""
        return _C.full(size, fill_value, dtype or self.dtype, requires_grad, "new_full")

    # Reductions with an index, and what is made of other ops

    def max(self, dim=None, keepdim=False):
        if isinstance(dim, TensorBase) and keepdim is not False:
            raise TypeError("max() takes two tensors, or a tensor and a dim")
        return _extreme(self, dim, keepdim, TensorBase.max, _C.max_dim, _C.maximum)

    def min(self, dim=None, keepdim=False):
        return _extreme(self, dim, keepdim, TensorBase.min, _C.min_dim, _C.minimum)

    def median(self, dim=None, keepdim=False):
        return _extreme(self, dim, keepdim, TensorBase.median, _C.median_dim, None)

    def nanmedian(self, dim=None, keepdim=False):
        return _extreme(self, dim, keepdim, TensorBase.nanmedian, _C.nanmedian_dim, None)

    def var(self, dim=None, unbiased=None, keepdim=False, *, correction=1):
        return _C.var(self, *_spread(dim, unbiased, keepdim, correction))

    def std(self, dim=None, unbiased=None, keepdim=False, *, correction=1):
        return _C.std(self, *_spread(dim, unbiased, keepdim, correction))

    def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
        p = 2 if p in ("fro", None) else p
        return _C.norm(self if dtype is None else self.to(dtype), p, dim, keepdim)

    def clamp(self, min=None, max=None):
        return _clamped(self, min, max)

    def clamp_(self, min=None, max=None):
        if isinstance(min, TensorBase) or isinstance(max, TensorBase):
            # The rule reads what is written over.
            return self.copy_(_clamped(self.clone(), min, max))
        return TensorBase.clamp_(self, min, max)

    clip, clip_ = clamp, clamp_

    def equal(self, other):
        """Whether two tensors have the same shape and the same elements.
        >>> torch.ones(2).equal(torch.ones(2))"""
        return self.shape == other.shape and self.numel() == (self == other).sum().item()

    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        """Whether all elements are close to another tensor's.
        >>> torch.ones(2).allclose(torch.ones(2) + 1e-9)"""
        if self.dtype != other.dtype:
            raise RuntimeError(
                f"allclose: got {self.dtype} and {other.dtype}, expected the same dtype"
            )
        return bool(self.isclose(other, rtol, atol, equal_nan).all())

    def nonzero(self, *, as_tuple=False):
        return _C.nonzero_tuple(self) if as_tuple else TensorBase.nonzero(self)

    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
        results = _C.unique(self, sorted, return_inverse, return_counts, dim)
        return results if return_inverse or return_counts else results[0]

    def split(self, split_size, dim=0):
        return _C.split(self, split_size, dim)

    def tensor_split(self, indices_or_sections, dim=0):
        if isinstance(indices_or_sections, TensorBase):
            indices_or_sections = indices_or_sections.tolist()
        return _C.tensor_split(self, indices_or_sections, dim)

    def tensordot(self, other, dims=2):
        return _tensordot(self, other, dims)

    def where(self, condition, other):
        return _C.where(condition, self, other)

    def positive(self):
        """The tensor itself, as `+x` gives it. >>> torch.tensor([-1.0]).positive()"""
        if self.dtype is _C.bool:
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    __pos__ = positive

    def inverse(self):
        """The inverse of a square matrix. >>> torch.tensor([[2.0, 0.0], [0.0, 4.0]]).inverse()"""
        return _C.inv(self)

    moveaxis, swapdims = TensorBase.movedim, TensorBase.swapaxes
    mH = mT


def _dimension(dim, n):
    if not -max(n, 1) <= dim < max(n, 1):
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-max(n, 1)}, {max(n, 1) - 1}], "
            f"but got {dim})"
        )
    return dim


def _spread(dim, unbiased, keepdim, correction):
    """The arguments of `var` and `std` as the ops take them: dim, keepdim, correction."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None:
        correction = 1 if unbiased else 0
    return dim, keepdim, 1 if correction is None else correction


def _clamped(x, min, max):
    if isinstance(min, TensorBase) and isinstance(max, TensorBase):
        return _C.clamp_tensor(x, min, max)
    if isinstance(min, TensorBase):
        x, min = _C.clamp_min(x, min), None
    elif isinstance(max, TensorBase):
        x, max = _C.clamp_max(x, max), None
    else:
        return _C.clamp(x, min, max)
    return x if min is None and max is None else _C.clamp(x, min, max)


def _tensordot(a, b, dims=2):
    if isinstance(dims, TensorBase):
        dims = dims.tolist()
    if isinstance(dims, int):
        return _C.contract(a, b, None, [dims])
    left, right = ([d] if isinstance(d, int) else list(d) for d in dims)
    return _C.contract(a, b, left, right)


class _HookHandle:
    def __init__(self, tensor, number):
        self.tensor, self.number = tensor, number

    def remove(self):
        self.tensor._remove_hook(self.number)


def _no_grad():
    from glowgrad.autograd import no_grad

    return no_grad()


# A class of its own for each kind, by name; those of `torch.linalg` begin with that.
_kinds = {}
_LINALG = ("qr", "svd", "eigh", "eig", "lu", "lu_factor")


class _Named(tuple):
    """Several tensors by name: `values` and `indices`, as `max(dim)` and its like return them."""

    def __new__(cls, name, fields, values, of_torch=False):
        if name in _LINALG and not of_torch:
            name = "linalg_" + name
        if name not in _kinds:
            _kinds[name] = type(name, (cls,), {"__module__": "torch.return_types"})
        self = tuple.__new__(_kinds[name], values)
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


def _extreme(x, dim, keepdim, whole, along, pairwise):
    if pairwise is not None and isinstance(dim, TensorBase):
        return pairwise(x, dim)
    return whole(x) if dim is None else along(x, dim, keepdim)


class Parameter(Tensor):
    """A tensor that a module learns: it is found by `parameters()` and requires grad.

    >>> nn.Parameter(torch.zeros(2))
    """

    __module__ = "torch.nn.parameter"

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _C.full((0,), 0.0, None, False)
        return Tensor._make_subclass(cls, data, requires_grad)

    def __repr__(self):
        return "Parameter containing:\n" + Tensor.__repr__(self)


class _LinAlgError(RuntimeError):
    """Raised where a matrix cannot be factored: `torch.linalg.LinAlgError`.

    >>> issubclass(torch.linalg.LinAlgError, RuntimeError)
    """

    __module__ = "torch._C"


# Where PyTorch's pickles look for it.
__getattr__, __dir__ = _later(__name__, {"_utils": ("_rebuild_from_type_v2",)}, "glowgrad")
_add_methods(Tensor)
_C.register(Tensor, Parameter, Size, _LinAlgError, _Named)
