"""The transforms as functions of an image or a tensor: `torchvision.transforms.functional`."""

import math
from enum import Enum

import glowgrad as torch
import glowgrad.nn.functional as F

from .._image import Image
from . import _pixels


class InterpolationMode(Enum):
    """How pixels between pixels are computed.

    >>> from torchvision.transforms import InterpolationMode
    >>> InterpolationMode.BILINEAR
    """

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


def _mode(interpolation):
    if isinstance(interpolation, int):
        names = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming"}
        return InterpolationMode(names[interpolation])
    return interpolation


def _tensor(img):
    if isinstance(img, Image):
        return img._pixels
    if not isinstance(img, torch.Tensor):
        raise TypeError(f"img should be PIL Image. Got {type(img)}")
    return img


def _as(img, found):
    return Image(found, img.mode) if isinstance(img, Image) else found


def get_dimensions(img):
    """Channels, height and width of an image.

    >>> from torchvision.transforms import functional as TF
    >>> TF.get_dimensions(torch.rand(3, 4, 5))
    """
    x = _tensor(img)
    return [1 if x.dim() == 2 else x.shape[-3], x.shape[-2], x.shape[-1]]


def get_image_size(img):
    """Width and height of an image.

    >>> from torchvision.transforms import functional as TF
    >>> TF.get_image_size(torch.rand(3, 4, 5))
    """
    x = _tensor(img)
    return [x.shape[-1], x.shape[-2]]


def get_image_num_channels(img):
    """The number of channels of an image.

    >>> from torchvision.transforms import functional as TF
    >>> TF.get_image_num_channels(torch.rand(3, 4, 5))
    """
    return get_dimensions(img)[0]


def to_tensor(pic):
    """A tensor [C, H, W]: an image's bytes as numbers from 0 to 1.

    >>> from torchvision.transforms import functional as TF
    >>> TF.to_tensor(TF.to_pil_image(torch.rand(3, 4, 5))).shape
    """
    if isinstance(pic, Image):
        x = pic._pixels
        if x.dtype != torch.uint8:
            return x.clone()
        return x.to(torch.get_default_dtype()).div(255)
    if not hasattr(pic, "_glowgrad_tensor"):
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    if pic.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
    x = torch.from_numpy(pic)
    x = (x.unsqueeze(-1) if x.dim() == 2 else x).permute(2, 0, 1).contiguous()
    return x.to(torch.get_default_dtype()).div(255) if x.dtype == torch.uint8 else x


def pil_to_tensor(pic):
    """The bytes of an image as a tensor [C, H, W].

    >>> from torchvision.transforms import functional as TF
    >>> TF.pil_to_tensor(TF.to_pil_image(torch.rand(3, 4, 5))).dtype
    """
    if not isinstance(pic, Image):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    return pic._pixels.clone()


def to_pil_image(pic, mode=None):
    """An image of a tensor [C, H, W] or an array [H, W, C].

    >>> from torchvision.transforms import functional as TF
    >>> TF.to_pil_image(torch.rand(3, 4, 5)).size
    """
    if isinstance(pic, torch.Tensor):
        if pic.dim() not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.dim()} dimensions.")
        x = pic.detach().unsqueeze(0) if pic.dim() == 2 else pic.detach()
        if x.shape[-3] > 4:
            raise ValueError(f"pic should not have > 4 channels. Got {x.shape[-3]} channels.")
        if x.dtype.is_floating_point and mode != "F":
            x = x.mul(255).to(torch.uint8)
    elif hasattr(pic, "_glowgrad_tensor"):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        x = torch.from_numpy(pic)
        x = (x.unsqueeze(-1) if x.dim() == 2 else x).permute(2, 0, 1)
        if x.shape[0] > 4:
            raise ValueError(f"pic should not have > 4 channels. Got {x.shape[0]} channels.")
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    kinds = {torch.uint8: None, torch.int16: "I;16", torch.int32: "I", torch.float32: "F"}
    if x.dtype not in kinds or x.shape[0] > 1 and x.dtype != torch.uint8:
        raise TypeError(f"Input type {str(x.dtype)[6:]} is not supported")
    return Image(x.contiguous().clone(), kinds[x.dtype] or mode)


def convert_image_dtype(image, dtype=torch.float):
    """A tensor of another dtype whose numbers are scaled: 255 is 1.0.

    >>> from torchvision.transforms import functional as TF
    >>> TF.convert_image_dtype(torch.tensor([[[255]]], dtype=torch.uint8))
    """
    if image.dtype == dtype:
        return image
    real = image.dtype.is_floating_point
    if dtype.is_floating_point:
        return image.to(dtype) if real else image.to(dtype) / torch.iinfo(image.dtype).max
    if real:
        return (image * (torch.iinfo(dtype).max + 1.0 - 1e-3)).to(dtype)
    before, after = torch.iinfo(image.dtype).max, torch.iinfo(dtype).max
    if before > after:
        return (image // ((before + 1) // (after + 1))).to(dtype)
    return image.to(dtype) * ((after + 1) // (before + 1))


def normalize(tensor, mean, std, inplace=False):
    """Each channel less its mean, divided by its deviation.

    >>> from torchvision.transforms import functional as TF
    >>> TF.normalize(torch.ones(1, 2, 2), (0.5,), (0.5,))
    """
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.dtype.is_floating_point:
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.dim() < 3:
        raise ValueError(
            "Expected tensor to be a tensor image of size (..., C, H, W). "
            f"Got tensor.size() = {tensor.size()}"
        )
    mean = torch.as_tensor(mean, dtype=tensor.dtype, device=tensor.device)
    std = torch.as_tensor(std, dtype=tensor.dtype, device=tensor.device)
    if (std == 0).any():
        raise ValueError(
            f"std evaluated to zero after conversion to {tensor.dtype}, "
            "leading to division by zero."
        )
    mean = mean.view(-1, 1, 1) if mean.dim() == 1 else mean
    std = std.view(-1, 1, 1) if std.dim() == 1 else std
    tensor = tensor if inplace else tensor.clone()
    return tensor.sub_(mean).div_(std)


def _resized_size(size, sides, max_size):
    if isinstance(size, int):
        size = [size]
    if len(size) == 2:
        return list(size)
    height, width = sides
    short, long = min(height, width), max(height, width)
    new_short, new_long = size[0], int(size[0] * long / short)
    if max_size is not None:
        if max_size <= size[0]:
            raise ValueError(
                f"max_size = {max_size} must be strictly greater than the requested "
                f"size for the smaller edge size = {size[0]}"
            )
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return [new_long, new_short] if width <= height else [new_short, new_long]


def resize(img, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
    """An image of another size; one number is the size of its shorter side.

    >>> from torchvision.transforms import functional as TF
    >>> TF.resize(torch.rand(3, 4, 6), 2).shape
    """
    x = _tensor(img)
    size = _resized_size(size, x.shape[-2:], max_size)
    mode = _mode(interpolation)
    if isinstance(img, Image):
        return _as(img, _pixels.resized(x, size, mode))
    return _pixels.interpolated(x, size, mode, antialias)


def pad(img, padding, fill=0, padding_mode="constant"):
    """An image with a border: all sides, (left/right, top/bottom), or (left, top, right, bottom).

    >>> from torchvision.transforms import functional as TF
    >>> TF.pad(torch.rand(3, 4, 5), 2).shape
    """
    if isinstance(padding, int):
        padding = [padding]
    if len(padding) not in (1, 2, 4):
        raise ValueError(
            f"Padding must be an int or a 1, 2, or 4 element tuple, "
            f"not a {len(padding)} element tuple"
        )
    left, top, right, bottom = [*padding] * (4 // len(padding))
    x = _tensor(img)
    if padding_mode == "constant":
        if isinstance(fill, (tuple, list)):
            bands = [F.pad(band, (left, right, top, bottom), value=value)
                     for band, value in zip(x.unbind(-3), fill)]
            return _as(img, torch.stack(bands, -3))
        return _as(img, F.pad(x, (left, right, top, bottom), value=fill or 0))
    h, w = x.shape[-2:]
    return _as(img, x[..., _places(top, h, bottom, padding_mode), :][
        ..., _places(left, w, right, padding_mode)])


def _places(before, n, after, mode):
    """The pixels of a border and of what is between, by their places."""
    if mode not in ("edge", "reflect", "symmetric"):
        raise ValueError(
            "Padding mode should be either constant, edge, reflect or symmetric"
        )
    found = torch.arange(-before, n + after)
    if mode == "edge":
        return found.clamp(0, n - 1)
    period = 2 * n if mode == "symmetric" else max(2 * n - 2, 1)
    found = found % period
    return torch.where(found < n, found, period - found - (1 if mode == "symmetric" else 0))


def crop(img, top, left, height, width):
    """A part of an image; what is outside of it is 0.

    >>> from torchvision.transforms import functional as TF
    >>> TF.crop(torch.rand(3, 4, 5), 1, 1, 2, 3).shape
    """
    x = _tensor(img)
    h, w = x.shape[-2:]
    bottom, right = top + height, left + width
    inside = x[..., max(top, 0):max(bottom, 0), max(left, 0):max(right, 0)]
    if top < 0 or left < 0 or bottom > h or right > w:
        sides = (
            max(-left + min(0, right), 0), max(right - max(w, left), 0),
            max(-top + min(0, bottom), 0), max(bottom - max(h, top), 0),
        )
        inside = F.pad(inside, sides)
    return _as(img, inside)


def center_crop(img, output_size):
    """The middle of an image.

    >>> from torchvision.transforms import functional as TF
    >>> TF.center_crop(torch.rand(3, 6, 6), 4).shape
    """
    sizes = [output_size] if isinstance(output_size, (int, float)) else list(output_size)
    height, width = (int(each) for each in (sizes * 2 if len(sizes) == 1 else sizes))
    _, h, w = get_dimensions(img)
    if width > w or height > h:
        img = pad(img, [
            (width - w) // 2 if width > w else 0, (height - h) // 2 if height > h else 0,
            (width - w + 1) // 2 if width > w else 0, (height - h + 1) // 2 if height > h else 0,
        ])
        _, h, w = get_dimensions(img)
        if (width, height) == (w, h):
            return img
    return crop(img, int(round((h - height) / 2.0)), int(round((w - width) / 2.0)), height, width)


def resized_crop(img, top, left, height, width, size, interpolation=InterpolationMode.BILINEAR,
                 antialias=True):
    """A part of an image, in another size.

    >>> from torchvision.transforms import functional as TF
    >>> TF.resized_crop(torch.rand(3, 6, 6), 0, 0, 3, 3, (2, 2)).shape
    """
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def hflip(img):
    """An image with left and right exchanged.

    >>> from torchvision.transforms import functional as TF
    >>> TF.hflip(torch.arange(3.0).view(1, 1, 3))
    """
    return _as(img, _tensor(img).flip(-1))


def vflip(img):
    """An image with top and bottom exchanged.

    >>> from torchvision.transforms import functional as TF
    >>> TF.vflip(torch.arange(3.0).view(1, 3, 1)).flatten()
    """
    return _as(img, _tensor(img).flip(-2))


def five_crop(img, size):
    """The four corners of an image, and its middle.

    >>> from torchvision.transforms import functional as TF
    >>> len(TF.five_crop(torch.rand(3, 6, 6), 4))
    """
    h, w = (size, size) if isinstance(size, int) else size if len(size) == 2 else (size[0],) * 2
    _, height, width = get_dimensions(img)
    if w > width or h > height:
        raise ValueError(
            f"Requested crop size {(h, w)} is bigger than input size {(height, width)}"
        )
    corners = [(0, 0), (0, width - w), (height - h, 0), (height - h, width - w)]
    return (*[crop(img, i, j, h, w) for i, j in corners], center_crop(img, [h, w]))


def ten_crop(img, size, vertical_flip=False):
    """The five crops of an image, and those of its mirror image.

    >>> from torchvision.transforms import functional as TF
    >>> len(TF.ten_crop(torch.rand(3, 6, 6), 4))
    """
    return five_crop(img, size) + five_crop(vflip(img) if vertical_flip else hflip(img), size)


def rgb_to_grayscale(img, num_output_channels=1):
    """A grey image, with one channel or three that are the same.

    >>> from torchvision.transforms import functional as TF
    >>> TF.rgb_to_grayscale(torch.rand(3, 4, 5)).shape
    """
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    if isinstance(img, Image):
        found = img.convert("L")
        return found if num_output_channels == 1 else found.convert("RGB")
    found = _pixels.grey(img)
    if num_output_channels == 1:
        return found
    return found.expand(img.shape[:-3] + (3,) + img.shape[-2:])


to_grayscale = rgb_to_grayscale


def _adjusted(img, factor, name, other):
    if factor < 0:
        raise ValueError(f"{name} ({factor}) is not non-negative.")
    if isinstance(img, Image):
        x = img._pixels
        return Image(_pixels.blended_whole(x, other(img, x), factor), img.mode)
    return _pixels.blended(img, other(None, img), factor)


def adjust_brightness(img, brightness_factor):
    """An image made darker (less than 1) or brighter.

    >>> from torchvision.transforms import functional as TF
    >>> TF.adjust_brightness(torch.full((3, 1, 1), 0.5), 0.5).flatten()
    """
    return _adjusted(img, brightness_factor, "brightness_factor", lambda _, x: torch.zeros_like(x))


def adjust_contrast(img, contrast_factor):
    """An image with less (below 1) or more contrast.

    >>> from torchvision.transforms import functional as TF
    >>> TF.adjust_contrast(torch.rand(3, 4, 5), 0.0).std()
    """
    def mean(image, x):
        if image is not None:
            grey = image.convert("L")._pixels.to(torch.float64)
            return torch.full_like(x, int(grey.mean().item() + 0.5))
        grey = _pixels.grey(x) if x.shape[-3] == 3 else x
        grey = grey if grey.dtype.is_floating_point else grey.to(torch.float32)
        return grey.mean(dim=(-3, -2, -1), keepdim=True)

    return _adjusted(img, contrast_factor, "contrast_factor", mean)


def adjust_saturation(img, saturation_factor):
    """An image with paler (below 1) or stronger colours.

    >>> from torchvision.transforms import functional as TF
    >>> TF.adjust_saturation(torch.rand(3, 4, 5), 0.5).shape
    """
    def grey(image, x):
        return image.convert("L")._pixels.expand_as(x) if image is not None else _pixels.grey(x)

    return _adjusted(img, saturation_factor, "saturation_factor", grey)


def adjust_hue(img, hue_factor):
    """An image whose hues are turned by a part of the circle, from -0.5 to 0.5.

    >>> from torchvision.transforms import functional as TF
    >>> TF.adjust_hue(torch.rand(3, 4, 5), 0.25).shape
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    x = _tensor(img)
    return img if x.shape[-3] == 1 else _as(img, _pixels.turned_hue(x, hue_factor))


def adjust_gamma(img, gamma, gain=1):
    """An image whose numbers are raised to a power.

    >>> from torchvision.transforms import functional as TF
    >>> TF.adjust_gamma(torch.full((3, 1, 1), 0.5), 2.0).flatten()
    """
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    x = convert_image_dtype(_tensor(img), torch.float32)
    return _as(img, convert_image_dtype((gain * x ** gamma).clamp(0, 1), _tensor(img).dtype))


def _fill(img, fill):
    if fill is None:
        return None
    channels = get_dimensions(img)[0]
    return [float(fill)] * channels if isinstance(fill, (int, float)) else [float(f) for f in fill]


def _warped(img, matrix, interpolation, fill, size=None):
    mode = _mode(interpolation).value
    if mode not in ("nearest", "bilinear"):
        raise ValueError(f"interpolation should be nearest or bilinear here, not {mode}")
    x = _tensor(img)
    return _as(img, _pixels.warped(x, matrix, size or x.shape[-2:], mode, _fill(img, fill)))


def _from_middle(img, center):
    _, height, width = get_dimensions(img)
    return [0.0, 0.0] if center is None else [center[0] - width * 0.5, center[1] - height * 0.5]


def rotate(img, angle, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=0):
    """An image turned by degrees, against the clock.

    >>> from torchvision.transforms import functional as TF
    >>> TF.rotate(torch.rand(3, 6, 6), 90).shape
    """
    matrix = _pixels.inverse(_from_middle(img, center), -angle, [0.0, 0.0], 1.0, [0.0, 0.0])
    size = None
    if expand:
        _, h, w = get_dimensions(img)
        turn = math.radians(angle)
        across, along = abs(math.cos(turn)), abs(math.sin(turn))
        sides = h * across + w * along, w * across + h * along
        size = [math.ceil(round(side, 6)) for side in sides]
    return _warped(img, matrix, interpolation, fill, size)


def affine(img, angle, translate, scale, shear, interpolation=InterpolationMode.NEAREST, fill=0,
           center=None):
    """An image turned, moved, scaled and sheared; angles in degrees.

    >>> from torchvision.transforms import functional as TF
    >>> TF.affine(torch.rand(3, 6, 6), 0, [1, 0], 1.0, [0, 0]).shape
    """
    shear = [shear, 0.0] if isinstance(shear, (int, float)) else [*shear, 0.0][:2]
    centre = _from_middle(img, center)
    matrix = _pixels.inverse(centre, angle, [1.0 * t for t in translate], scale, shear)
    return _warped(img, matrix, interpolation, fill)


def erase(img, i, j, h, w, v, inplace=False):
    """A tensor of an image with a rectangle of other numbers.

    >>> from torchvision.transforms import functional as TF
    >>> TF.erase(torch.rand(3, 6, 6), 1, 1, 2, 2, torch.zeros(3, 2, 2)).shape
    """
    if not isinstance(img, torch.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(img)}")
    img = img if inplace else img.clone()
    img[..., i:i + h, j:j + w] = v
    return img


def gaussian_blur(img, kernel_size, sigma=None):
    """An image in which each pixel is a mean of those around it.

    >>> from torchvision.transforms import functional as TF
    >>> TF.gaussian_blur(torch.rand(3, 6, 6), 3).shape
    """
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    if sigma is None:
        sigma = [size * 0.15 + 0.35 for size in sizes]
    sigmas = [float(sigma)] * 2 if isinstance(sigma, (int, float)) else [*sigma] * (2 // len(sigma))
    x = _tensor(img)
    kind = x.dtype
    y = x.reshape(-1, *x.shape[-3:]).to(kind if kind.is_floating_point else torch.float32)
    rows = []
    for size, width in zip(sizes, sigmas):
        places = torch.linspace(-(size - 1) * 0.5, (size - 1) * 0.5, size, dtype=y.dtype)
        weights = torch.exp(-0.5 * (places / width) ** 2)
        rows.append(weights / weights.sum())
    kernel = torch.mm(rows[1][:, None], rows[0][None, :])
    kernel = kernel.expand(y.shape[-3], 1, *kernel.shape)
    sides = (sizes[0] // 2, sizes[0] // 2, sizes[1] // 2, sizes[1] // 2)
    y = F.conv2d(F.pad(y, sides, mode="reflect"), kernel, groups=y.shape[-3])
    y = y.reshape(x.shape)
    return _as(img, y if kind.is_floating_point else y.round().to(kind))


def invert(img):
    """The negative of an image.

    >>> from torchvision.transforms import functional as TF
    >>> TF.invert(torch.zeros(3, 1, 1)).flatten()
    """
    x = _tensor(img)
    return _as(img, _pixels.most(x) - x)


def solarize(img, threshold):
    """An image in which what is as bright as the threshold or brighter is negative.

    >>> from torchvision.transforms import functional as TF
    >>> TF.solarize(torch.rand(3, 4, 5), 0.5).shape
    """
    x = _tensor(img)
    return _as(img, torch.where(x >= threshold, _pixels.most(x) - x, x))


def posterize(img, bits):
    """An image of bytes of which the first bits are kept.

    >>> from torchvision.transforms import functional as TF
    >>> TF.posterize(torch.full((1, 1, 1), 255, dtype=torch.uint8), 1)
    """
    return _as(img, _tensor(img) & -(2 ** (8 - bits)) % 256)
