"""`torch.nn`'s normalisation layers and channel dropout."""

import _glowgrad as _C
from glowgrad._place import _placed
from glowgrad.nn import functional as F
from glowgrad.nn import init
from glowgrad.nn.conv import _empty
from glowgrad.nn.module import Module

__all__ = (
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d", "GroupNorm", "RMSNorm", "Dropout", "Dropout1d", "Dropout2d",
)


class _NormBase(Module):
    """Weight and bias of each channel, and running statistics as buffers."""

    _version = 2

    def __init__(self, num_features, eps, momentum, affine, track_running_stats, dtype, bias):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        weight = _empty(num_features, dtype=dtype) if affine else None
        self.register_parameter("weight", weight)
        self.register_parameter(
            "bias", _empty(num_features, dtype=dtype) if affine and bias else None
        )
        if track_running_stats:
            self.register_buffer("running_mean", _C.full((num_features,), 0.0, dtype, False, "zeros"))
            self.register_buffer("running_var", _C.full((num_features,), 1.0, dtype, False, "ones"))
            self.register_buffer("num_batches_tracked", _C.full((), 0, _C.int64, False))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        # States of version 1 do not count batches.
        key = prefix + "num_batches_tracked"
        is_old = (local_metadata.get("version") or 1) < 2
        if is_old and self.num_batches_tracked is not None and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def _check_input_dim(self, input):
        if input.dim() not in self._allowed:
            wanted = " or ".join(f"{n}D" for n in self._allowed)
            raise ValueError(f"expected {wanted} input (got {input.dim()}D input)")

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    @_placed
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True,
                 track_running_stats=True, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input):
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                # A plain mean of all batches so far.
                factor = 1.0 / float(self.num_batches_tracked)
        own = self.training or (self.running_mean is None and self.running_var is None)
        kept = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if kept else None,
            self.running_var if kept else None,
            self.weight, self.bias, own, factor, self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Each feature moved to mean 0 and variance 1 over the batch.

    >>> nn.BatchNorm1d(3)(torch.randn(8, 3)).shape
    """

    _allowed = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of images moved to mean 0 and variance 1 over the batch.

    >>> nn.BatchNorm2d(3)(torch.randn(8, 3, 4, 4)).shape
    """

    _allowed = (4,)


class BatchNorm3d(_BatchNorm):
    """Each channel of volumes moved to mean 0 and variance 1 over the batch.

    >>> nn.BatchNorm3d(2)(torch.randn(2, 2, 3, 3, 3)).shape
    """

    _allowed = (5,)


class _InstanceNorm(_NormBase):
    @_placed
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False,
                 track_running_stats=False, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input):
        self._check_input_dim(input)
        without_batch = self._allowed[0]
        channels = input.shape[0 if input.dim() == without_batch else 1]
        if self.affine and channels != self.num_features:
            raise ValueError(
                f"expected input's size at dim={0 if input.dim() == without_batch else 1} to "
                f"match num_features ({self.num_features}), but got: {channels}."
            )
        x = input.unsqueeze(0) if input.dim() == without_batch else input
        y = F.instance_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum, self.eps,
        )
        return y.squeeze(0) if input.dim() == without_batch else y


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each signal moved to mean 0 and variance 1.

    >>> nn.InstanceNorm1d(3)(torch.randn(2, 3, 8)).shape
    """

    _allowed = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each image moved to mean 0 and variance 1.

    >>> nn.InstanceNorm2d(3)(torch.randn(2, 3, 4, 4)).shape
    """

    _allowed = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Each channel of each volume moved to mean 0 and variance 1.

    >>> nn.InstanceNorm3d(2)(torch.randn(1, 2, 3, 3, 3)).shape
    """

    _allowed = (4, 5)


class GroupNorm(Module):
    """Groups of each sample's channels moved to mean 0 and variance 1.

    >>> nn.GroupNorm(2, 4)(torch.randn(1, 4, 5)).shape
    """

    @_placed
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, dtype=None,
                 *, bias=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        weight = _empty(num_channels, dtype=dtype) if affine else None
        self.register_parameter("weight", weight)
        self.register_parameter(
            "bias", _empty(num_channels, dtype=dtype) if affine and bias else None
        )
        self.reset_parameters()

    def reset_parameters(self):
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Each row divided by the root of its mean square.

    >>> nn.RMSNorm(2)(torch.tensor([[3.0, 4.0]])).tolist()
    """

    @_placed
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True,
                 dtype=None):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape, self.eps = tuple(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        weight = _empty(*self.normalized_shape, dtype=dtype) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self):
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class _Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return self._function(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Sets elements to 0 with probability p while training, and scales the rest up.

    >>> nn.Dropout(0.5).eval()(torch.ones(4))
    """

    _function = staticmethod(F.dropout)


class Dropout1d(_Dropout):
    """Sets whole channels of signals to 0 with probability p while training.

    >>> nn.Dropout1d().eval()(torch.ones(2, 3, 4)).shape
    """

    _function = staticmethod(F.dropout1d)


class Dropout2d(_Dropout):
    """Sets whole channels of images to 0 with probability p while training.

    >>> nn.Dropout2d().eval()(torch.ones(2, 3, 4, 4)).shape
    """

    _function = staticmethod(F.dropout2d)
