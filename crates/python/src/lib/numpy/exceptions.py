"""The errors that NumPy raises: `np.exceptions`."""

from numpy._core import AxisError
from numpy._ufunc import UFuncTypeError


class ComplexWarning(RuntimeWarning):
    """Never raised: numbers are real.
    >>> issubclass(np.exceptions.ComplexWarning, RuntimeWarning)"""


class VisibleDeprecationWarning(UserWarning):
    """Never raised here. >>> issubclass(np.exceptions.VisibleDeprecationWarning, UserWarning)"""


class DTypePromotionError(TypeError):
    """Raised where types do not meet.
    >>> issubclass(np.exceptions.DTypePromotionError, TypeError)"""
