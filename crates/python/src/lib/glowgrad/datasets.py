"""Data sets that are in the lab or made from a seed, without a download; and tables from files."""

import _glowgrad as _C
from glowgrad._later import _later

__all__ = ("load_csv", "load_digits", "make_addition", "make_blobs", "make_moons", "make_spirals")


def load_digits():
    """1,797 handwritten digits (UCI, CC BY 4.0): images [1797, 64] from 0 to 16, labels [1797].

    >>> images, labels = torch.datasets.load_digits()
    >>> images.shape, labels.shape
    """
    return _C.digits()


# The others come with the library.
__getattr__, __dir__ = _later(__name__, {"_tables": __all__[:1], "_synthetic": __all__[2:]}, "glowgrad")
