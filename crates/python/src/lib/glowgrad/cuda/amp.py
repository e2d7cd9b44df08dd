"""`torch.cuda.amp`: `torch.amp` on a CUDA device, by its older names."""

from warnings import warn

import _glowgrad as _C
from glowgrad import amp as _amp

__all__ = ["amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd", "GradScaler"]


def _older(name, new):
    warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{new}` instead.",
        FutureWarning,
    )


def amp_definitely_not_available():
    """Whether no CUDA device computes here.

    >>> torch.cuda.amp.amp_definitely_not_available() != torch.cuda.is_available()
    """
    return not _amp._has_cuda()


class autocast(_amp.autocast):
    """As `torch.autocast("cuda")`.

    >>> torch.cuda.amp.autocast(enabled=False).device
    """

    __module__ = "torch.cuda.amp.autocast_mode"

    def __init__(self, enabled=True, dtype=_C.float16, cache_enabled=True):
        _older("autocast", "autocast('cuda', args...)")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_amp.GradScaler):
    """As `torch.amp.GradScaler("cuda")`.

    >>> torch.cuda.amp.GradScaler(enabled=False).is_enabled()
    """

    __module__ = "torch.cuda.amp.grad_scaler"

    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, enabled=True):
        _older("GradScaler", "GradScaler('cuda', args...)")
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )


def custom_fwd(fwd=None, *, cast_inputs=None):
    """As `torch.amp.custom_fwd` with "cuda".

    >>> callable(torch.cuda.amp.custom_fwd(lambda ctx, x: x))
    """
    _older("custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return _amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """As `torch.amp.custom_bwd` with "cuda".

    >>> callable(torch.cuda.amp.custom_bwd(lambda ctx, gradient: gradient))
    """
    _older("custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return _amp.custom_bwd(bwd, device_type="cuda")
