"""Data sets that are in the lab: no download, no files."""

import _glowgrad as _C


def load_digits():
    """1,797 handwritten digits (UCI, CC BY 4.0): images [1797, 64] from 0 to 16, labels [1797].

    >>> images, labels = torch.datasets.load_digits()
    >>> images.shape, labels.shape
    """
    return _C.digits()


def __getattr__(name):
    # Made sets come with the library.
    if not name.startswith("make_"):
        raise AttributeError(f"module 'glowgrad.datasets' has no attribute {name!r}")
    from glowgrad import _synthetic

    if not hasattr(_synthetic, name):
        raise AttributeError(
            f"module 'glowgrad.datasets' has no attribute {name!r}; it has load_digits, make_moons, "
            "make_spirals, make_blobs and make_addition"
        )
    return getattr(_synthetic, name)
