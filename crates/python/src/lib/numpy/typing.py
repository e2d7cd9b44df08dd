"""Names for annotations: `numpy.typing`."""

from typing import Any

from numpy._ndarray import ndarray

ArrayLike = DTypeLike = Any


class NDArray:
    """An array of a type, in an annotation: `NDArray[np.float64]`."""

    def __class_getitem__(cls, dtype):
        return ndarray
