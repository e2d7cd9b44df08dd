"""Layers that learn the size of their input from the first one, and parameters without a shape."""

import _glowgrad as _C
from glowgrad.autograd import no_grad
from glowgrad._tensor import Parameter, Tensor
from glowgrad.nn import _LATER
from glowgrad.nn.conv import (
    Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d,
)
from glowgrad.nn.linear import Linear
from glowgrad.nn.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d
from glowgrad.nn.parameter import _full
from glowgrad.nn.rare_normalization import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d

__all__ = ("LazyModuleMixin", *_LATER["lazy"])


class UninitializedTensorMixin:
    """A tensor that has a dtype and a place, and waits for its shape.

    >>> isinstance(nn.UninitializedParameter(), torch.nn.parameter.UninitializedTensorMixin)
    """

    _is_uninitialized = True

    def materialize(self, shape, device=None, dtype=None):
        """Gives the tensor its shape: it becomes a parameter, or a buffer, like any other.

        >>> weight = nn.UninitializedParameter()
        >>> weight.materialize((2, 3))
        >>> weight.shape
        """
        self.data = _full(tuple(shape), 0.0, device or self.device, dtype or self.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        """Raises an error: there is no shape yet.

        >>> hasattr(torch.ones(2), "shape")
        """
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
            "initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        )

    def size(self, dim=None):
        return Tensor.size(self.data, dim)

    def detach(self):
        return self

    def share_memory_(self):
        """Raises an error: there is no memory yet.

        >>> hasattr(nn.UninitializedParameter(), "share_memory_")
        """
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`."
        )

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo):
        copy = type(self)(self.requires_grad, self.device, self.dtype)
        memo[id(self)] = copy
        return copy


def _refused(name):
    def method(self, *args, **kwargs):
        raise ValueError(
            f"Attempted to use an uninitialized parameter in <method {name!r} of "
            "'torch._C.TensorBase' objects>. This error happens when you are using a `LazyModule` "
            f"or explicitly manipulating `torch.nn.parameter.{type(self).__name__}` objects. When "
            "using LazyModules Call `forward` with a dummy batch to initialize the parameters "
            "before calling torch functions"
        )

    return method


_ALLOWED = (
    "size copy_ is_complex is_floating_point half float double char short int long bool byte "
    "bfloat16 cuda cpu to get_device requires_grad_ "
    "__class__ __hash__ __init__ __new__ __repr__ __str__ __getattribute__ __setattr__ "
    "__delattr__ __dir__ __format__ __init_subclass__ __subclasshook__ __reduce__ __reduce_ex__ "
    "__sizeof__ __getstate__ __deepcopy__ __doc__ __module__"
).split()
for _name in dir(Tensor):
    _public = not _name.startswith("_") or _name.startswith("__")
    if _public and _name not in _ALLOWED and _name not in UninitializedTensorMixin.__dict__:
        if callable(getattr(Tensor, _name)):
            setattr(UninitializedTensorMixin, _name, _refused(_name.strip("_")))


def is_lazy(param):
    """Whether a parameter or buffer waits for its shape.

    >>> torch.nn.parameter.is_lazy(nn.LazyLinear(2).weight)
    """
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter that waits for its shape.

    >>> nn.UninitializedParameter()
    """

    __module__ = "torch.nn.parameter"
    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return Tensor._make_subclass(cls, _full((0,), 0.0, device, dtype), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer that waits for its shape.

    >>> nn.UninitializedBuffer()
    """

    __module__ = "torch.nn.parameter"
    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        buffer = Tensor._make_subclass(cls, _full((0,), 0.0, device, dtype), requires_grad)
        buffer.persistent = persistent
        return buffer


class LazyModuleMixin:
    """What makes a module lazy: its first call finds the shapes of its parameters.

    >>> issubclass(nn.LazyLinear, nn.modules.lazy.LazyModuleMixin)
    """

    cls_to_become = None
    _is_ready = False

    def initialize_parameters(self, *args, **kwargs):
        """Gives parameters their shapes, from the first call's arguments; a subclass defines it.

        >>> layer = nn.LazyLinear(2)
        >>> layer.initialize_parameters(torch.ones(1, 3))
        >>> layer.weight.shape
        """
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self):
        """Whether a parameter or buffer waits for its shape.

        >>> nn.LazyLinear(2).has_uninitialized_params()
        """
        return any(is_lazy(each) for each in (*self._parameters.values(), *self._buffers.values()))

    def __call__(self, *args, **kwargs):
        if not self._is_ready:
            self.initialize_parameters(*args, **kwargs)
            if self.has_uninitialized_params():
                raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
            self._is_ready = True
            if self.cls_to_become is not None:
                del self._is_ready
                self.__class__ = self.cls_to_become
                return self(*args, **kwargs)
        return super().__call__(*args, **kwargs)

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        for name, own in (*self._parameters.items(), *self._buffers.items()):
            value = state_dict.get(prefix + name)
            if value is not None and is_lazy(own) and not is_lazy(value):
                own.materialize(value.shape)
        super()._load_from_state_dict(state_dict, prefix, *rest)


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose `in_features` is that of its first input.

    >>> layer = nn.LazyLinear(2)
    >>> layer(torch.randn(5, 3)).shape
    """

    cls_to_become = Linear

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to "
                    f"in_features from self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


class _LazyConv(LazyModuleMixin):
    def _wait(self, out_channels, bias, device, dtype):
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        if not self.has_uninitialized_params():
            return
        n = self._dims + 1
        if input.dim() not in (n, n + 1):
            raise RuntimeError(
                f"Expected {n}D (unbatched) or {n + 1}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        self.in_channels = input.shape[input.dim() - n]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        with no_grad():
            self.weight.materialize(self._weight_shape())
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()


class _LazyPlainConv(_LazyConv):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
                 bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode,
                         device, dtype)
        self._wait(out_channels, bias, device, dtype)


class LazyConv1d(_LazyPlainConv, Conv1d):
    """A `Conv1d` whose `in_channels` is that of its first input.

    >>> nn.LazyConv1d(8, kernel_size=3)(torch.randn(1, 3, 10)).shape
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyPlainConv, Conv2d):
    """A `Conv2d` whose `in_channels` is that of its first input.

    >>> nn.LazyConv2d(8, kernel_size=3)(torch.randn(1, 3, 8, 8)).shape
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyPlainConv, Conv3d):
    """A `Conv3d` whose `in_channels` is that of its first input.

    >>> nn.LazyConv3d(2, kernel_size=3)(torch.randn(1, 1, 4, 4, 4)).shape
    """

    cls_to_become = Conv3d


class _LazyTransposedConv(_LazyConv):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False,
                         dilation, padding_mode, device, dtype)
        self._wait(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyTransposedConv, ConvTranspose1d):
    """A `ConvTranspose1d` whose `in_channels` is that of its first input.

    >>> nn.LazyConvTranspose1d(2, kernel_size=2, stride=2)(torch.randn(1, 3, 5)).shape
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposedConv, ConvTranspose2d):
    """A `ConvTranspose2d` whose `in_channels` is that of its first input.

    >>> nn.LazyConvTranspose2d(2, kernel_size=2, stride=2)(torch.randn(1, 3, 4, 4)).shape
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposedConv, ConvTranspose3d):
    """A `ConvTranspose3d` whose `in_channels` is that of its first input.

    >>> nn.LazyConvTranspose3d(2, kernel_size=2, stride=2)(torch.randn(1, 1, 2, 2, 2)).shape
    """

    cls_to_become = ConvTranspose3d


class _LazyNorm(LazyModuleMixin):
    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None, *, bias=True):
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = _full((), 0, device, _C.int64)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for each in (self.weight, self.bias, self.running_mean, self.running_var):
                if each is not None:
                    each.materialize((self.num_features,))
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """A `BatchNorm1d` whose `num_features` is that of its first input.

    >>> nn.LazyBatchNorm1d()(torch.randn(8, 3)).shape
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """A `BatchNorm2d` whose `num_features` is that of its first input.

    >>> nn.LazyBatchNorm2d()(torch.randn(8, 3, 4, 4)).shape
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """A `BatchNorm3d` whose `num_features` is that of its first input.

    >>> nn.LazyBatchNorm3d()(torch.randn(2, 2, 3, 3, 3)).shape
    """

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """An `InstanceNorm1d` whose `num_features` is that of its first input.

    >>> nn.LazyInstanceNorm1d()(torch.randn(2, 3, 8)).shape
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """An `InstanceNorm2d` whose `num_features` is that of its first input.

    >>> nn.LazyInstanceNorm2d()(torch.randn(2, 3, 4, 4)).shape
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """An `InstanceNorm3d` whose `num_features` is that of its first input.

    >>> nn.LazyInstanceNorm3d()(torch.randn(1, 2, 3, 3, 3)).shape
    """

    cls_to_become = InstanceNorm3d
