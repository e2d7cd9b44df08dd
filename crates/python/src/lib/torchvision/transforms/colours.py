"""Transforms that change colours."""

import glowgrad as torch
from glowgrad import nn

from . import functional as F


def _range(value, name, center=1, bound=(0, float("inf")), from_zero=True):
    if isinstance(value, (int, float)):
        if value < 0:
            raise ValueError(f"If {name} is a single number, it must be non negative.")
        value = [center - float(value), center + float(value)]
        if from_zero:
            value[0] = max(value[0], 0.0)
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        value = [float(value[0]), float(value[1])]
    else:
        raise TypeError(f"{name} should be a single number or a list/tuple with length 2.")
    if not bound[0] <= value[0] <= value[1] <= bound[1]:
        raise ValueError(f"{name} values should be between {bound}, but got {value}.")
    return None if value[0] == value[1] == center else tuple(value)


class ColorJitter(nn.Module):
    """Changes brightness, contrast, saturation and hue, by numbers drawn anew each time.

    >>> from torchvision import transforms
    >>> transforms.ColorJitter(0.2, 0.2)(torch.rand(3, 8, 8)).shape
    """

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        super().__init__()
        self.brightness = _range(brightness, "brightness")
        self.contrast = _range(contrast, "contrast")
        self.saturation = _range(saturation, "saturation")
        self.hue = _range(hue, "hue", 0, (-0.5, 0.5), False)

    @staticmethod
    def get_params(brightness, contrast, saturation, hue):
        """What is drawn: the order of the four changes, then a number for each.

        >>> from torchvision import transforms
        >>> len(transforms.ColorJitter.get_params((0.5, 1.0), None, None, None))
        """
        order = torch.randperm(4)
        drawn = [
            None if limits is None else float(torch.empty(1).uniform_(limits[0], limits[1]))
            for limits in (brightness, contrast, saturation, hue)
        ]
        return order, *drawn

    def forward(self, img):
        changes = F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue
        order, *drawn = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        for i in order.tolist():
            if drawn[i] is not None:
                img = changes[i](img, drawn[i])
        return img

    def __repr__(self):
        return (
            f"{type(self).__name__}(brightness={self.brightness}, contrast={self.contrast}"
            f", saturation={self.saturation}, hue={self.hue})"
        )


class Grayscale(nn.Module):
    """Makes images grey, with one channel or three that are the same.

    >>> from torchvision import transforms
    >>> transforms.Grayscale()(torch.rand(3, 8, 8)).shape
    """

    def __init__(self, num_output_channels=1):
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img):
        return F.rgb_to_grayscale(img, self.num_output_channels)

    def __repr__(self):
        return f"{type(self).__name__}(num_output_channels={self.num_output_channels})"


class RandomGrayscale(nn.Module):
    """Makes some images grey.

    >>> from torchvision import transforms
    >>> transforms.RandomGrayscale(p=1.0)(torch.rand(3, 8, 8)).shape
    """

    def __init__(self, p=0.1):
        super().__init__()
        self.p = p

    def forward(self, img):
        channels = F.get_dimensions(img)[0]
        return F.rgb_to_grayscale(img, channels) if torch.rand(1) < self.p else img

    def __repr__(self):
        return f"{type(self).__name__}(p={self.p})"


class GaussianBlur(nn.Module):
    """Blurs images, by a width drawn anew each time.

    >>> from torchvision import transforms
    >>> transforms.GaussianBlur(3)(torch.rand(3, 8, 8)).shape
    """

    def __init__(self, kernel_size, sigma=(0.1, 2.0)):
        super().__init__()
        sizes = (kernel_size,) * 2 if isinstance(kernel_size, int) else tuple(kernel_size)
        if any(size <= 0 or size % 2 == 0 for size in sizes):
            raise ValueError("Kernel size value should be an odd and positive number.")
        if isinstance(sigma, (int, float)):
            if sigma <= 0:
                raise ValueError("If sigma is a single number, it must be positive.")
            sigma = sigma, sigma
        if not 0.0 < sigma[0] <= sigma[1]:
            raise ValueError("sigma values should be positive and of the form (min, max).")
        self.kernel_size, self.sigma = sizes, sigma

    def forward(self, img):
        sigma = torch.empty(1).uniform_(self.sigma[0], self.sigma[1]).item()
        return F.gaussian_blur(img, self.kernel_size, [sigma, sigma])

    def __repr__(self):
        return f"{type(self).__name__}(kernel_size={self.kernel_size}, sigma={self.sigma})"


class RandomInvert(nn.Module):
    """Makes negatives of some images.

    >>> from torchvision import transforms
    >>> transforms.RandomInvert(p=1.0)(torch.zeros(1, 1, 2))
    """

    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, img):
        return F.invert(img) if torch.rand(1).item() < self.p else img

    def __repr__(self):
        return f"{type(self).__name__}(p={self.p})"


class RandomPosterize(nn.Module):
    """Keeps the first bits of some images.

    >>> from torchvision import transforms
    >>> transforms.RandomPosterize(2)
    """

    def __init__(self, bits, p=0.5):
        super().__init__()
        self.bits, self.p = bits, p

    def forward(self, img):
        return F.posterize(img, self.bits) if torch.rand(1).item() < self.p else img

    def __repr__(self):
        return f"{type(self).__name__}(bits={self.bits},p={self.p})"


class RandomSolarize(nn.Module):
    """Makes negative what is bright in some images.

    >>> from torchvision import transforms
    >>> transforms.RandomSolarize(0.5)
    """

    def __init__(self, threshold, p=0.5):
        super().__init__()
        self.threshold, self.p = threshold, p

    def forward(self, img):
        return F.solarize(img, self.threshold) if torch.rand(1).item() < self.p else img

    def __repr__(self):
        return f"{type(self).__name__}(threshold={self.threshold},p={self.p})"
