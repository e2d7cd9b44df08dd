"""The function that NumPy's pickles of protocol 5 name."""

from numpy._core.multiarray import array_of


def _frombuffer(buf, dtype, shape, order, axis_order=None):
    """The array of these bytes."""
    return array_of(bytes(buf), dtype, shape, order == "F")
