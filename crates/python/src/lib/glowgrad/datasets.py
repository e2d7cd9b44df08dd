"""Data that ships with the lab."""

import _glowgrad as _C


def load_digits():
    """The 1,797 handwritten digits of the UCI optical set.

    Returns images, float32 [1797, 64] with counts 0 … 16 of ink in 4×4 blocks, and labels,
    int64 [1797]. E. Alpaydin and C. Kaynak, CC BY 4.0.
    """
    return _C.digits()
