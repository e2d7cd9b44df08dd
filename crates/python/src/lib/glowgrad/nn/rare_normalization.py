"""Normalisation layers that few programs use: of one image, over channels, over processes."""

from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn.module import Module
from glowgrad.nn.normalization import _BatchNorm, _NormBase

__all__ = _LATER["rare_normalization"]


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over all processes, of which there is one: `BatchNorm` of any input.

    >>> nn.SyncBatchNorm(3)(torch.randn(8, 3, 4)).shape
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True,
                 track_running_stats=True, process_group=None, device=None, dtype=None, *,
                 bias=True):
        if process_group is not None:
            raise NotImplementedError(
                "SyncBatchNorm: everything runs in one process; leave process_group out"
            )
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype,
                         bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.shape[1] == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """The module with every batch norm in it replaced, parameters and statistics kept.

        >>> nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(2)))
        """
        result = module
        if isinstance(module, _BatchNorm):
            result = SyncBatchNorm(
                module.num_features, module.eps, module.momentum, module.affine,
                module.track_running_stats, process_group, bias=module.bias is not None,
            )
            for name in ("weight", "bias", *cls._counts):
                setattr(result, name, getattr(module, name))
            result.training = module.training
        for name, child in list(module.named_children()):
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result


class _InstanceNorm(_NormBase):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False,
                 track_running_stats=False, device=None, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype,
                         bias)

    def forward(self, input):
        self._check_input_dim(input)
        without_batch = self._allowed[0]
        place = 0 if input.dim() == without_batch else 1
        if input.shape[place] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={place} to match num_features "
                    f"({self.num_features}), but got: {input.shape[place]}."
                )
            from warnings import warn

            warn(f"input's size at dim={place} does not match num_features. You can silence this "
                 "warning by not passing in num_features, which is not used because affine=False",
                 stacklevel=2)
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


class LocalResponseNorm(Module):
    """Each element divided by a power of the mean square of its neighbours in other channels.

    >>> nn.LocalResponseNorm(3)(torch.ones(1, 4, 2)).shape
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """`LocalResponseNorm` of images as Lua Torch computed it.

    >>> nn.CrossMapLRN2d(3)(torch.ones(1, 4, 2, 2)).shape
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__(size, alpha, beta, k)

    def forward(self, input):
        if input.dim() != 4:
            raise ValueError(
                f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead."
            )
        half, channels = int((self.size - 1) / 2), input.shape[1]
        squares = F.pad(input ** 2, (0, 0, 0, 0, half, half))
        sums = squares[:, :channels]
        for i in range(1, 2 * half + 1):
            sums = sums + squares[:, i:i + channels]
        # Its running sum keeps the first channel, once a window has left it.
        kept = squares[:, half:half + 1].detach().repeat(1, max(channels - half - 1, 0), 1, 1)
        sums = sums + F.pad(kept, (0, 0, 0, 0, channels - kept.shape[1], 0))
        return input * (sums * (self.alpha / self.size) + self.k) ** -self.beta
