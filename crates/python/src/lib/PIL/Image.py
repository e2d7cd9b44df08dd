"""Images: opened from PNG and JPEG files, made of arrays, saved as PNG. What an image can do is in `torchvision._image`."""

import os

from torchvision._image import Image, fromarray

from PIL import UnidentifiedImageError


def open(fp, mode="r", formats=None):
    """The image in a file, by its path or an open file.

    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (3, 2)).save(file, "png")
    >>> Image.open(io.BytesIO(file.getvalue())).size
    """
    from glowgrad._codec import decode

    if hasattr(fp, "read"):
        data = fp.read()
    else:
        import builtins

        with builtins.open(os.fspath(fp), "rb") as file:
            data = file.read()
    try:
        return Image(decode("image", data).only)
    except ValueError as error:
        raise UnidentifiedImageError(f"cannot identify image file {fp!r}: {error}") from None


def new(mode, size, color=0):
    """An image of one colour: of a mode, such as "RGB", and a size, (width, height).

    >>> from PIL import Image
    >>> Image.new("L", (4, 3), 255).getpixel((0, 0))
    """
    import glowgrad as torch
    from torchvision._image import _BANDS

    if mode not in _BANDS:
        raise ValueError(f"unrecognized image mode: {mode!r}; expected one of {', '.join(_BANDS)}")
    colour = [color] * _BANDS[mode] if isinstance(color, int) else list(color)
    pixels = torch.tensor(colour, dtype=torch.uint8).reshape(-1, 1, 1)
    return Image(pixels.repeat(1, size[1], size[0]))
