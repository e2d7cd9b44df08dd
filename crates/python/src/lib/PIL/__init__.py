"""A part of Pillow: images in PNG and JPEG files."""


class UnidentifiedImageError(OSError):
    """Raised for a file that holds no image that can be read.

    >>> from PIL import UnidentifiedImageError
    >>> issubclass(UnidentifiedImageError, OSError)
    """


def __getattr__(name):
    if name.startswith("__") or name == "Image":
        raise AttributeError(name)
    raise NotImplementedError(f"PIL.{name}: of Pillow, PIL.Image is here; torchvision.transforms change images")
