"""Images in files: PNG and JPEG are read, PNG is written. Tensors are uint8 of [channels, height, width]."""

import os
from enum import Enum

import glowgrad as torch
from glowgrad._codec import decode, encode


class ImageReadMode(Enum):
    """Which channels an image is to have: its own (UNCHANGED), or others.

    >>> from torchvision.io import ImageReadMode
    >>> ImageReadMode.RGB
    """

    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4


_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def read_file(path):
    """The bytes of a file, as a tensor.

    >>> from torchvision.io import read_file, write_file
    >>> write_file("a.bin", torch.tensor([1, 2], dtype=torch.uint8))
    >>> read_file("a.bin")
    """
    with open(os.fspath(path), "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)


def write_file(filename, data):
    """Writes a tensor of bytes into a file.

    >>> from torchvision.io import write_file
    >>> write_file("a.bin", torch.tensor([1, 2], dtype=torch.uint8))
    """
    with open(os.fspath(filename), "wb") as file:
        file.write(data.numpy().tobytes())


def decode_image(input, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    """The image in a file, by its path or its bytes as a tensor.

    >>> from torchvision.io import decode_image, encode_png
    >>> decode_image(encode_png(torch.zeros(3, 2, 2, dtype=torch.uint8))).shape
    """
    data = input if isinstance(input, torch.Tensor) else read_file(input)
    try:
        pixels = decode("image", data.numpy().tobytes()).only
    except ValueError as error:
        raise RuntimeError(str(error)) from None
    mode = ImageReadMode[mode.upper()] if isinstance(mode, str) else mode
    if mode.value in (0, pixels.shape[0]):
        return pixels
    from ._image import Image

    return Image(pixels).convert(_MODES[mode.value])._pixels


read_image = decode_png = decode_jpeg = decode_image


def encode_png(input, compression_level=6):
    """The bytes of a PNG file with this image, as a tensor.

    >>> from torchvision.io import encode_png
    >>> encode_png(torch.zeros(3, 2, 2, dtype=torch.uint8))[:4]
    """
    try:
        data = encode("png", [("", input)])
    except ValueError as error:
        raise RuntimeError(str(error)) from None
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)


def write_png(input, filename, compression_level=6):
    """Writes an image into a PNG file.

    >>> from torchvision.io import write_png
    >>> write_png(torch.zeros(3, 2, 2, dtype=torch.uint8), "a.png")
    """
    write_file(filename, encode_png(input))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(
        f"torchvision.io.{name}: PNG and JPEG files are read and PNG files written here, by decode_image and write_png"
    )
