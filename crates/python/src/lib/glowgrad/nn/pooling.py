"""`torch.nn`'s pools, and what changes the sizes of images: `Upsample`, `PixelShuffle`, `Fold`."""

from glowgrad.nn import functional as F
from glowgrad.nn.module import Module

__all__ = (
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d", "PixelShuffle", "PixelUnshuffle",
    "Unfold", "Fold",
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


class Upsample(Module):
    """Images in another size.

    >>> nn.Upsample(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    """

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None,
                 recompute_scale_factor=None):
        super().__init__()
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode, self.align_corners = mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self):
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images in another size, by the nearest elements.

    >>> nn.UpsamplingNearest2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images in another size, between the elements, corner on corner.

    >>> nn.UpsamplingBilinear2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Module):
    """Channels laid out as pixels: a larger image with fewer channels.

    >>> nn.PixelShuffle(2)(torch.ones(1, 4, 3, 3)).shape
    """

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels laid out as channels: a smaller image with more channels.

    >>> nn.PixelUnshuffle(2)(torch.ones(1, 1, 6, 6)).shape
    """

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self):
        return f"downscale_factor={self.downscale_factor}"


class Unfold(Module):
    """The blocks of an image, as columns.

    >>> nn.Unfold(2)(torch.ones(1, 1, 3, 3)).shape
    """

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation = kernel_size, dilation
        self.padding, self.stride = padding, stride

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Unfold):
    """Columns, laid out as the blocks of an image.

    >>> nn.Fold((3, 3), 2)(torch.ones(1, 4, 4))
    """

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input):
        return F.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self):
        return f"output_size={self.output_size}, {super().extra_repr()}"
