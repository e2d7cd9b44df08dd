"""An image of bytes, in place of one of PIL: what data sets give to transforms."""

import glowgrad as torch

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_BANDS = {mode: count for count, mode in _MODES.items()}


class Image:
    """An image: `size` is (width, height), `mode` names its channels ("L", "RGB", …).

    >>> from torchvision.transforms import ToPILImage
    >>> ToPILImage()(torch.rand(3, 4, 5)).size
    """

    __module__ = "PIL.Image"

    def __init__(self, pixels, mode=None):
        # Channels first: [C, H, W], uint8 (one of mode "F" or "I" keeps its own numbers).
        self._pixels = pixels
        self.mode = mode or _MODES[pixels.shape[0]]

    @property
    def width(self):
        return self._pixels.shape[2]

    @property
    def height(self):
        return self._pixels.shape[1]

    @property
    def size(self):
        return self.width, self.height

    def getbands(self):
        """The names of the channels.

        >>> from torchvision.transforms import ToPILImage
        >>> ToPILImage()(torch.rand(3, 4, 5)).getbands()
        """
        return tuple(self.mode) if self.mode in _BANDS else (self.mode,)

    def getpixel(self, xy):
        """The value of one pixel.

        >>> from torchvision.transforms import ToPILImage
        >>> ToPILImage()(torch.zeros(1, 4, 5)).getpixel((0, 0))
        """
        values = self._pixels[:, xy[1], xy[0]].tolist()
        return values[0] if len(values) == 1 else tuple(values)

    def tobytes(self):
        """The pixels row by row, as bytes.

        >>> from torchvision.transforms import ToPILImage
        >>> ToPILImage()(torch.zeros(1, 2, 2)).tobytes()
        """
        return self._pixels.permute(1, 2, 0).contiguous().numpy().tobytes()

    def convert(self, mode):
        """The image with other channels: "L" (grey) or "RGB".

        >>> from torchvision.transforms import ToPILImage
        >>> ToPILImage()(torch.rand(3, 4, 5)).convert("L").mode
        """
        if mode == self.mode:
            return self.copy()
        colours = self._pixels[:3] if self.mode in ("RGB", "RGBA") else self._pixels[:1]
        if mode in ("RGB", "RGBA"):
            colours = colours.expand(3, -1, -1)
            if mode == "RGBA":
                colours = torch.cat([colours, torch.full_like(colours[:1], 255)])
            return Image(colours.contiguous(), mode)
        if mode == "L":
            if colours.shape[0] == 3:
                red, green, blue = colours.to(torch.int64)
                grey = (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16
                colours = grey.to(torch.uint8).unsqueeze(0)
            return Image(colours.contiguous(), mode)
        raise ValueError(f"conversion from {self.mode} to {mode} not supported")

    def copy(self):
        """A copy of the image.

        >>> from torchvision.transforms import ToPILImage
        >>> ToPILImage()(torch.rand(3, 4, 5)).copy().size
        """
        return Image(self._pixels.clone(), self.mode)

    def resize(self, size, resample=None):
        """The image with another size, (width, height).

        >>> from torchvision.transforms import ToPILImage
        >>> ToPILImage()(torch.rand(3, 4, 5)).resize((2, 2)).size
        """
        from .transforms._pixels import resized

        return Image(resized(self._pixels, (size[1], size[0]), resample or "bicubic"), self.mode)

    def save(self, fp, format=None):
        """Writes a PNG file, or a PPM file where the name ends so.

        >>> import io
        >>> from torchvision.transforms import ToPILImage
        >>> ToPILImage()(torch.rand(3, 4, 5)).save(io.BytesIO(), "png")
        """
        from ._files import write_image

        write_image(self._pixels, fp, format)

    def show(self, title=None):
        """Draws the image below the cell.

        >>> from torchvision.transforms import ToPILImage
        >>> ToPILImage()(torch.rand(3, 4, 5)).show()
        """
        import matplotlib.pyplot as plt

        plt.imshow(self.__array__(), cmap="gray" if self.mode == "L" else None)
        plt.show()

    def __array__(self, dtype=None, copy=None):
        pixels = self._pixels[0] if self._pixels.shape[0] == 1 else self._pixels.permute(1, 2, 0)
        array = pixels.contiguous().numpy()
        return array if dtype is None else array.astype(dtype)

    def __eq__(self, other):
        if not isinstance(other, Image):
            return NotImplemented
        return self.mode == other.mode and torch.equal(self._pixels, other._pixels)

    __hash__ = None

    def __repr__(self):
        return (
            f"<PIL.Image.Image image mode={self.mode} size={self.width}x{self.height} "
            f"at {hex(id(self)).upper().replace('X', 'x')}>"
        )


def fromarray(array, mode=None):
    """An image with the numbers of an array [H, W] or [H, W, C]."""
    pixels = torch.as_tensor(array)
    return Image(pixels.unsqueeze(0) if pixels.dim() == 2 else pixels.permute(2, 0, 1), mode)
