"""`torch.nn`'s normalisation layers."""

import _glowgrad as _C
from glowgrad.nn import functional as F
from glowgrad.nn import init
from glowgrad.nn.module import Module
from glowgrad.nn.parameter import _empty, _full

__all__ = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm", "RMSNorm")


class _Affine(Module):
    """A weight and a bias, which start as ones and zeros."""

    def _prepare(self, shape, weight, bias, device, dtype):
        for name, wanted in (("weight", weight), ("bias", weight and bias)):
            parameter = _empty(*shape, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, parameter)

    def reset_parameters(self):
        """Sets the weight to ones and the bias to zeros.

        >>> layer = nn.LayerNorm(3)
        >>> layer.reset_parameters()
        """
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class _NormBase(_Affine):
    """Weight and bias of each channel, and running statistics as buffers."""

    _version = 2
    _counts = ("running_mean", "running_var", "num_batches_tracked")

    def __init__(self, num_features, eps, momentum, affine, track_running_stats, device, dtype,
                 bias):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._prepare((num_features,), affine, bias, device, dtype)
        tracked = [None] * 3
        if track_running_stats:
            tracked = (
                _full((num_features,), 0.0, device, dtype, "zeros"),
                _full((num_features,), 1.0, device, dtype, "ones"),
                _full((), 0, device, _C.int64),
            )
        for name, buffer in zip(self._counts, tracked):
            self.register_buffer(name, buffer)
        self.reset_parameters()

    def reset_running_stats(self):
        """Sets the mean to zeros, the variance to ones and the count of batches to 0.

        >>> layer = nn.BatchNorm1d(3)
        >>> layer.reset_running_stats()
        """
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Sets weight, bias and running statistics to what they start with.

        >>> layer = nn.BatchNorm1d(3)
        >>> layer.reset_parameters()
        """
        self.reset_running_stats()
        super().reset_parameters()

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
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True,
                 track_running_stats=True, device=None, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype,
                         bias)

    def forward(self, input):
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                # A plain mean of all batches so far.
                seen = self.num_batches_tracked
                factor = 1.0 / (seen.to(input.dtype) if _C.is_capturing() else float(seen))
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


class _Shaped(_Affine):
    """A norm over the last dimensions, of the shape `normalized_shape`."""

    def _shape(self, normalized_shape, eps, elementwise_affine):
        is_number = hasattr(normalized_shape, "__index__")
        self.normalized_shape = (normalized_shape,) if is_number else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class LayerNorm(_Shaped):
    """Each row moved to mean 0 and variance 1, then scaled and shifted.

    >>> nn.LayerNorm(3)(torch.tensor([[1.0, 2.0, 3.0]])).tolist()
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None,
                 dtype=None):
        super().__init__()
        self._shape(normalized_shape, eps, elementwise_affine)
        self._prepare(self.normalized_shape, elementwise_affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{super().extra_repr()}, bias={self.bias is not None}"


class RMSNorm(_Shaped):
    """Each row divided by the root of its mean square.

    >>> nn.RMSNorm(2)(torch.tensor([[3.0, 4.0]])).tolist()
    """

    bias = None

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None,
                 dtype=None):
        super().__init__()
        self._shape(normalized_shape, eps, elementwise_affine)
        if elementwise_affine:
            self.weight = _empty(*self.normalized_shape, device=device, dtype=dtype)
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_Affine):
    """Groups of each sample's channels moved to mean 0 and variance 1.

    >>> nn.GroupNorm(2, 4)(torch.randn(1, 4, 5)).shape
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None,
                 *, bias=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        self._prepare((num_channels,), affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )
