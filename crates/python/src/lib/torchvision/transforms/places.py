"""Transforms that move pixels: sizes, crops, mirrors, turns."""

import math

import glowgrad as torch
from glowgrad import nn

from . import functional as F
from .functional import InterpolationMode


def _pair(size):
    """Height and width; one number is both."""
    if isinstance(size, int):
        return size, size
    size = tuple(size)
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError("Please provide only two dimensions (h, w) for size.")
    return size


def _drawn(low, high):
    return torch.empty(1).uniform_(low, high).item()


def _angles(value, name="degrees"):
    if isinstance(value, (int, float)):
        if value < 0:
            raise ValueError(f"If {name} is a single number, it must be positive.")
        return [0.0 - float(value), float(value)]
    return [float(each) for each in value]


class Resize(nn.Module):
    """Gives images another size; one number is the size of the shorter side.

    >>> from torchvision import transforms
    >>> transforms.Resize(4)(torch.rand(3, 8, 10)).shape
    """

    def __init__(self, size, interpolation=InterpolationMode.BILINEAR, max_size=None,
                 antialias=True):
        super().__init__()
        if not isinstance(size, (int, list, tuple)):
            raise TypeError(f"Size should be int or sequence. Got {type(size)}")
        if not isinstance(size, int) and len(size) not in (1, 2):
            raise ValueError("If size is a sequence, it should have 1 or 2 values")
        self.size, self.max_size, self.antialias = size, max_size, antialias
        self.interpolation = F._mode(interpolation)

    def forward(self, img):
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self):
        return (
            f"{type(self).__name__}(size={self.size}, interpolation={self.interpolation.value}, "
            f"max_size={self.max_size}, antialias={self.antialias})"
        )


class CenterCrop(nn.Module):
    """Keeps the middle of images.

    >>> from torchvision import transforms
    >>> transforms.CenterCrop(4)(torch.rand(3, 8, 10)).shape
    """

    def __init__(self, size):
        super().__init__()
        self.size = _pair(size)

    def forward(self, img):
        return F.center_crop(img, self.size)

    def __repr__(self):
        return f"{type(self).__name__}(size={self.size})"


class Pad(nn.Module):
    """Gives images a border.

    >>> from torchvision import transforms
    >>> transforms.Pad(2)(torch.rand(3, 8, 10)).shape
    """

    def __init__(self, padding, fill=0, padding_mode="constant"):
        super().__init__()
        if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
            raise ValueError(
                "Padding mode should be either constant, edge, reflect or symmetric"
            )
        if not isinstance(padding, int) and len(padding) not in (1, 2, 4):
            raise ValueError(
                "Padding must be an int or a 1, 2, or 4 element tuple, "
                f"not a {len(padding)} element tuple"
            )
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def forward(self, img):
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self):
        return (
            f"{type(self).__name__}(padding={self.padding}, fill={self.fill}, "
            f"padding_mode={self.padding_mode})"
        )


class RandomCrop(nn.Module):
    """Keeps a part of images, at a place drawn anew each time.

    >>> from torchvision import transforms
    >>> transforms.RandomCrop(8, padding=2)(torch.rand(3, 8, 8)).shape
    """

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"):
        super().__init__()
        self.size, self.padding, self.pad_if_needed = _pair(size), padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    @staticmethod
    def get_params(img, output_size):
        """The place that is drawn: top, left, height, width.

        >>> from torchvision import transforms
        >>> len(transforms.RandomCrop.get_params(torch.rand(3, 8, 8), (4, 4)))
        """
        _, h, w = F.get_dimensions(img)
        th, tw = output_size
        if h < th or w < tw:
            raise ValueError(
                f"Required crop size {(th, tw)} is larger than input image size {(h, w)}"
            )
        if (w, h) == (tw, th):
            return 0, 0, h, w
        i = torch.randint(0, h - th + 1, size=(1,)).item()
        return i, torch.randint(0, w - tw + 1, size=(1,)).item(), th, tw

    def forward(self, img):
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        _, height, width = F.get_dimensions(img)
        if self.pad_if_needed and width < self.size[1]:
            img = F.pad(img, [self.size[1] - width, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and height < self.size[0]:
            img = F.pad(img, [0, self.size[0] - height], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def __repr__(self):
        return f"{type(self).__name__}(size={self.size}, padding={self.padding})"


class _RandomFlip(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, img):
        return self._flip(img) if torch.rand(1) < self.p else img

    def __repr__(self):
        return f"{type(self).__name__}(p={self.p})"


class RandomHorizontalFlip(_RandomFlip):
    """Exchanges left and right of some images.

    >>> from torchvision import transforms
    >>> transforms.RandomHorizontalFlip(p=1.0)(torch.arange(3.0).view(1, 1, 3))
    """

    _flip = staticmethod(F.hflip)


class RandomVerticalFlip(_RandomFlip):
    """Exchanges top and bottom of some images.

    >>> from torchvision import transforms
    >>> transforms.RandomVerticalFlip(p=1.0)(torch.arange(3.0).view(1, 3, 1)).flatten()
    """

    _flip = staticmethod(F.vflip)


class RandomResizedCrop(nn.Module):
    """Keeps a part of images, of a size and shape drawn anew, and gives it one size.

    >>> from torchvision import transforms
    >>> transforms.RandomResizedCrop(4)(torch.rand(3, 8, 8)).shape
    """

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3.0 / 4.0, 4.0 / 3.0),
                 interpolation=InterpolationMode.BILINEAR, antialias=True):
        super().__init__()
        if not isinstance(scale, (list, tuple)):
            raise TypeError("Scale should be a sequence")
        if not isinstance(ratio, (list, tuple)):
            raise TypeError("Ratio should be a sequence")
        self.size, self.scale, self.ratio = _pair(size), scale, ratio
        self.interpolation, self.antialias = F._mode(interpolation), antialias

    @staticmethod
    def get_params(img, scale, ratio):
        """The part that is drawn: top, left, height, width.

        >>> from torchvision import transforms
        >>> cut = transforms.RandomResizedCrop.get_params
        >>> len(cut(torch.rand(3, 8, 8), [0.5, 1.0], [1.0, 1.0]))
        """
        _, height, width = F.get_dimensions(img)
        log_ratio = torch.log(torch.tensor(ratio))
        for _ in range(10):
            area = height * width * _drawn(scale[0], scale[1])
            shape = torch.exp(torch.empty(1).uniform_(log_ratio[0], log_ratio[1])).item()
            w, h = int(round(math.sqrt(area * shape))), int(round(math.sqrt(area / shape)))
            if 0 < w <= width and 0 < h <= height:
                i = torch.randint(0, height - h + 1, size=(1,)).item()
                return i, torch.randint(0, width - w + 1, size=(1,)).item(), h, w
        w, h = width, height
        if width / height < min(ratio):
            h = int(round(w / min(ratio)))
        elif width / height > max(ratio):
            w = int(round(h * max(ratio)))
        return (height - h) // 2, (width - w) // 2, h, w

    def forward(self, img):
        place = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *place, self.size, self.interpolation, antialias=self.antialias)

    def __repr__(self):
        return (
            f"{type(self).__name__}(size={self.size}"
            f", scale={tuple(round(s, 4) for s in self.scale)}"
            f", ratio={tuple(round(r, 4) for r in self.ratio)}"
            f", interpolation={self.interpolation.value}, antialias={self.antialias})"
        )


class FiveCrop(nn.Module):
    """Gives the four corners of images and their middle, as a tuple.

    >>> from torchvision import transforms
    >>> len(transforms.FiveCrop(4)(torch.rand(3, 8, 8)))
    """

    def __init__(self, size):
        super().__init__()
        self.size = _pair(size)

    def forward(self, img):
        return F.five_crop(img, self.size)

    def __repr__(self):
        return f"{type(self).__name__}(size={self.size})"


class TenCrop(nn.Module):
    """Gives the five crops of images and of their mirror images, as a tuple.

    >>> from torchvision import transforms
    >>> len(transforms.TenCrop(4)(torch.rand(3, 8, 8)))
    """

    def __init__(self, size, vertical_flip=False):
        super().__init__()
        self.size, self.vertical_flip = _pair(size), vertical_flip

    def forward(self, img):
        return F.ten_crop(img, self.size, self.vertical_flip)

    def __repr__(self):
        return f"{type(self).__name__}(size={self.size}, vertical_flip={self.vertical_flip})"


class RandomRotation(nn.Module):
    """Turns images by an angle drawn anew each time, in degrees.

    >>> from torchvision import transforms
    >>> transforms.RandomRotation(10)
    """

    def __init__(self, degrees, interpolation=InterpolationMode.NEAREST, expand=False, center=None,
                 fill=0):
        super().__init__()
        self.degrees, self.interpolation = _angles(degrees), F._mode(interpolation)
        self.expand, self.center, self.fill = expand, center, 0 if fill is None else fill

    @staticmethod
    def get_params(degrees):
        """The angle that is drawn.

        >>> from torchvision import transforms
        >>> transforms.RandomRotation.get_params([5.0, 5.0])
        """
        return float(_drawn(float(degrees[0]), float(degrees[1])))

    def forward(self, img):
        angle = self.get_params(self.degrees)
        return F.rotate(img, angle, self.interpolation, self.expand, self.center, self.fill)

    def __repr__(self):
        center = f", center={self.center}" if self.center is not None else ""
        return (
            f"{type(self).__name__}(degrees={self.degrees}"
            f", interpolation={self.interpolation.value}, expand={self.expand}{center}"
            f", fill={self.fill})"
        )


class RandomAffine(nn.Module):
    """Turns, moves, scales and shears images, by numbers drawn anew each time.

    >>> from torchvision import transforms
    >>> transforms.RandomAffine(10, translate=(0.1, 0.1))
    """

    def __init__(self, degrees, translate=None, scale=None, shear=None,
                 interpolation=InterpolationMode.NEAREST, fill=0, center=None):
        super().__init__()
        if translate is not None and not all(0.0 <= t <= 1.0 for t in translate):
            raise ValueError("translation values should be between 0 and 1")
        if scale is not None and any(s <= 0 for s in scale):
            raise ValueError("scale values should be positive")
        self.degrees, self.translate, self.scale = _angles(degrees), translate, scale
        self.shear = None if shear is None else _angles(shear, "shear")
        self.interpolation, self.fill, self.center = F._mode(interpolation), fill, center

    @staticmethod
    def get_params(degrees, translate, scale_ranges, shears, img_size):
        """What is drawn: the angle, the move, the scale and the shear.

        >>> from torchvision import transforms
        >>> transforms.RandomAffine.get_params([0.0, 0.0], None, None, None, [8, 8])
        """
        angle, moved, scale, shear = float(_drawn(degrees[0], degrees[1])), (0, 0), 1.0, [0.0, 0.0]
        if translate is not None:
            most = [float(t * size) for t, size in zip(translate, img_size)]
            moved = tuple([int(round(_drawn(-far, far))) for far in most])
        if scale_ranges is not None:
            scale = float(_drawn(scale_ranges[0], scale_ranges[1]))
        if shears is not None:
            shear[0] = float(_drawn(shears[0], shears[1]))
            if len(shears) == 4:
                shear[1] = float(_drawn(shears[2], shears[3]))
        return angle, moved, scale, tuple(shear)

    def forward(self, img):
        _, height, width = F.get_dimensions(img)
        drawn = self.get_params(
            self.degrees, self.translate, self.scale, self.shear, [width, height]
        )
        return F.affine(
            img, *drawn, interpolation=self.interpolation, fill=self.fill, center=self.center
        )

    def __repr__(self):
        given = [("translate", self.translate), ("scale", self.scale), ("shear", self.shear)]
        text = "".join([f", {name}={value}" for name, value in given if value is not None])
        if self.interpolation != InterpolationMode.NEAREST:
            text += f", interpolation={self.interpolation.value}"
        text += f", fill={self.fill}" if self.fill != 0 else ""
        text += f", center={self.center}" if self.center is not None else ""
        return f"{type(self).__name__}(degrees={self.degrees}{text})"


class RandomErasing(nn.Module):
    """Puts other numbers into a rectangle of some tensors of images.

    >>> from torchvision import transforms
    >>> transforms.RandomErasing(p=1.0)(torch.rand(3, 8, 8)).shape
    """

    def __init__(self, p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False):
        super().__init__()
        if not isinstance(value, (int, float, str, list, tuple)):
            raise TypeError("Argument value should be either a number or str or a sequence")
        if isinstance(value, str) and value != "random":
            raise ValueError("If value is str, it should be 'random'")
        if not 0 <= scale[0] <= scale[1] <= 1:
            raise ValueError("Scale should be between 0 and 1")
        if not 0 <= p <= 1:
            raise ValueError("Random erasing probability should be between 0 and 1")
        self.p, self.scale, self.ratio, self.value, self.inplace = p, scale, ratio, value, inplace

    @staticmethod
    def get_params(img, scale, ratio, value=None):
        """The rectangle that is drawn, and its numbers: top, left, height, width, numbers.

        >>> from torchvision import transforms
        >>> erasing = transforms.RandomErasing.get_params
        >>> len(erasing(torch.rand(3, 8, 8), (0.1, 0.2), (1.0, 1.0), [0.0]))
        """
        channels, height, width = img.shape[-3:]
        log_ratio = torch.log(torch.tensor(ratio))
        for _ in range(10):
            area = height * width * _drawn(scale[0], scale[1])
            shape = torch.exp(torch.empty(1).uniform_(log_ratio[0], log_ratio[1])).item()
            h, w = int(round(math.sqrt(area * shape))), int(round(math.sqrt(area / shape)))
            if not (h < height and w < width):
                continue
            if value is None:
                numbers = torch.empty([channels, h, w], dtype=torch.float32).normal_()
            else:
                numbers = torch.tensor(value)[:, None, None]
            i = torch.randint(0, height - h + 1, size=(1,)).item()
            return i, torch.randint(0, width - w + 1, size=(1,)).item(), h, w, numbers
        return 0, 0, height, width, img

    def forward(self, img):
        if not torch.rand(1) < self.p:
            return img
        value = [float(self.value)] if isinstance(self.value, (int, float)) else self.value
        value = None if isinstance(value, str) else [float(v) for v in value]
        if value is not None and len(value) not in (1, img.shape[-3]):
            raise ValueError(
                "If value is a sequence, it should have either a single value or "
                f"{img.shape[-3]} (number of input channels)"
            )
        place = self.get_params(img, self.scale, self.ratio, value)
        return F.erase(img, *place, self.inplace)

    def __repr__(self):
        return (
            f"{type(self).__name__}(p={self.p}, scale={self.scale}, ratio={self.ratio}, "
            f"value={self.value}, inplace={self.inplace})"
        )
