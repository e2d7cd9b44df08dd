"""The functions that NumPy's pickles name: from them an array, or a scalar, comes out of a file.

`ndarray.__reduce__` and `generic.__reduce__` write NumPy's form, so that NumPy reads these pickles, and
its own are read here. The array's `__setstate__` fills what `_reconstruct` made. Arrays of objects are not read:
arrays hold numbers here.
"""

import numpy as np


def _reconstruct(subtype, shape, datatype):
    """An array without numbers yet."""
    return np.zeros(shape)


def scalar(dtype, data):
    """The scalar of these bytes."""
    return array_of(data, dtype, ())[()]


def array_of(data, dtype, shape, columns_first=False):
    """The array of these bytes, row by row or column by column; Python 2's bytes come as a text."""
    if isinstance(data, str):
        data = data.encode("latin-1")
    if not data:
        return np.zeros(shape, dtype)
    flat = np.frombuffer(bytearray(data), dtype)
    return flat.reshape(shape[::-1]).T if columns_first else flat.reshape(shape)
