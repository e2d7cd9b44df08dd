"""Data sets that are in the lab: no download, no files."""

import _glowgrad as _C


def load_digits():
    """1,797 handwritten digits (UCI, CC BY 4.0): images [1797, 64] from 0 to 16, labels [1797].

    >>> images, labels = torch.datasets.load_digits()
    >>> images.shape, labels.shape
    """
    return _C.digits()
