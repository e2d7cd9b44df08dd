"""`torch.nn`'s pools."""

from glowgrad.nn import functional as F
from glowgrad.nn.module import Module

__all__ = (
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
)


def _single(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


class _MaxPool(Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input):
        return self._function(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest element of each window of a signal.

    >>> nn.MaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 4.0]]))
    """

    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """The largest element of each window of an image.

    >>> nn.MaxPool2d(2)(torch.randn(1, 3, 8, 8)).shape
    """

    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """The largest element of each window of a volume.

    >>> nn.MaxPool3d(2)(torch.randn(1, 1, 4, 4, 4)).shape
    """

    _function = staticmethod(F.max_pool3d)


class _AvgPool(Module):
    def forward(self, input):
        more = () if self._dims == 1 else (self.divisor_override,)
        return self._function(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, *more,
        )

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """The mean of each window of a signal.

    >>> nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 4.0]]))
    """

    _dims = 1
    _function = staticmethod(F.avg_pool1d)

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False,
                 count_include_pad=True):
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad


class AvgPool2d(_AvgPool):
    """The mean of each window of an image.

    >>> nn.AvgPool2d(2)(torch.randn(1, 3, 8, 8)).shape
    """

    _dims = 2
    _function = staticmethod(F.avg_pool2d)

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False,
                 count_include_pad=True, divisor_override=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override


class AvgPool3d(AvgPool2d):
    """The mean of each window of a volume.

    >>> nn.AvgPool3d(2)(torch.randn(1, 1, 4, 4, 4)).shape
    """

    _dims = 3
    _function = staticmethod(F.avg_pool3d)


class _Adaptive(Module):
    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return self._function(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """Means of a signal's parts, as many as wanted.

    >>> nn.AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 4.0]]))
    """

    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_Adaptive):
    """Means of an image's parts, in the size that is wanted.

    >>> nn.AdaptiveAvgPool2d((1, 1))(torch.randn(1, 3, 8, 8)).shape
    """

    _function = staticmethod(F.adaptive_avg_pool2d)


class _AdaptiveMax(_Adaptive):
    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input):
        return self._function(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMax):
    """The largest element of each part of a signal, as many as wanted.

    >>> nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 4.0]]))
    """

    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """The largest element of each part of an image, in the size that is wanted.

    >>> nn.AdaptiveMaxPool2d((2, 2))(torch.randn(1, 3, 8, 8)).shape
    """

    _function = staticmethod(F.adaptive_max_pool2d)
