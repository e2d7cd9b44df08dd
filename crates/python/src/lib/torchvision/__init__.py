"""torchvision: images, their transforms, and the data sets of tutorials."""

__version__ = "0.29.0"
_PARTS = ("datasets", "io", "models", "ops", "transforms", "utils")


def __getattr__(name):
    if name in _PARTS:
        return getattr(__import__(f"{__name__}.{name}"), name)
    raise AttributeError(f"module 'torchvision' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_PARTS})


def set_image_backend(backend):
    """Says which package makes images; there is one kind here.

    >>> import torchvision
    >>> torchvision.set_image_backend("PIL")
    """
    if backend not in ("PIL", "accimage"):
        raise ValueError(f"Invalid backend '{backend}'. Options are 'PIL' and 'accimage'")


def get_image_backend():
    """The name of the package that makes images.

    >>> import torchvision
    >>> torchvision.get_image_backend()
    """
    return "PIL"
