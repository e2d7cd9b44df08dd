"""`torch.nn`'s layers that lay an image out anew: as blocks, as channels, shuffled."""

from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn.module import Module

__all__ = _LATER["pixels"]


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
    """Columns, laid out and added up as the blocks of an image.

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


class ChannelShuffle(Module):
    """Channels in another order: the first of each group, then the second of each, and so on.

    >>> nn.ChannelShuffle(2)(torch.arange(4.0).view(1, 4, 1)).flatten()
    """

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
