"""Assertions about arrays: `np.testing`."""

import numpy as np


def _fail(what, x, y, err_msg):
    x, y = np.asarray(x), np.asarray(y)
    lines = ["", what, *([err_msg] if err_msg else [])]
    if x.shape != y.shape:
        lines.append(f"(shapes {x.shape}, {y.shape} mismatch)")
    else:
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        bad = int(np.sum(~same))
        share = 100 * bad / max(x.size, 1)
        lines.append(f"Mismatched elements: {bad} / {x.size} ({share:.3g}%)")
        off = np.abs(np.subtract(x, y, dtype=float))
        off = off[~np.isnan(off)]
        if off.size:
            lines.append(f"Max absolute difference among violations: {off.max()}")
    lines += [f" ACTUAL: {x!r}", f" DESIRED: {y!r}"]
    raise AssertionError("\n".join(lines))


def assert_allclose(actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg="", verbose=True,
                    *, strict=False):
    """Raises unless all elements are close. >>> np.testing.assert_allclose([1.0], [1.0 + 1e-9])"""
    x, y = np.asarray(actual), np.asarray(desired)
    if x.shape != y.shape and x.ndim and y.ndim or not np.allclose(x, y, rtol, atol, equal_nan):
        _fail(f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}", x, y, err_msg)


def assert_array_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    """Raises unless all elements are equal. >>> np.testing.assert_array_equal([1, 2], [1, 2])"""
    x, y = np.asarray(actual), np.asarray(desired)
    if (
        x.shape != y.shape
        and x.ndim
        and y.ndim
        or not np.all((x == y) | (np.isnan(x) & np.isnan(y)))
    ):
        _fail("Arrays are not equal", x, y, err_msg)


def assert_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    """Raises unless two objects are equal. >>> np.testing.assert_equal([1, 2], [1, 2])"""
    if isinstance(actual, np.ndarray) or isinstance(desired, np.ndarray):
        return assert_array_equal(actual, desired, err_msg)
    if not actual == desired and not (actual != actual and desired != desired):
        raise AssertionError(f"\nItems are not equal:\n ACTUAL: {actual!r}\n DESIRED: {desired!r}")


def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True):
    """Raises unless all elements agree in so many digits.
    >>> np.testing.assert_array_almost_equal([1.0], [1.0000001])"""
    x, y = np.asarray(actual), np.asarray(desired)
    if not np.allclose(x, y, 0, 1.5 * 10.0**-decimal, True):
        _fail(f"Arrays are not almost equal to {decimal} decimals", x, y, err_msg)


def assert_almost_equal(actual, desired, decimal=7, err_msg="", verbose=True):
    """Raises unless two numbers agree in so many digits.
    >>> np.testing.assert_almost_equal(1.0, 1.00000001)"""
    assert_array_almost_equal(actual, desired, decimal, err_msg)


def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False):
    """Raises unless every x is less than its y. >>> np.testing.assert_array_less([1, 2], 3)"""
    if not np.all(np.less(x, y)):
        _fail("Arrays are not strictly ordered `x < y`", x, y, err_msg)


def assert_raises(exception_class, callable=None, *args, **kwargs):
    """Raises unless a call raises this. >>> np.testing.assert_raises(ValueError, float, "x")"""
    if callable is None:
        return _Raises(exception_class)
    with _Raises(exception_class):
        callable(*args, **kwargs)


class _Raises:
    def __init__(self, kind):
        self._kind = kind

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            raise AssertionError(f"{self._kind.__name__} not raised")
        self.exception = error
        return issubclass(kind, self._kind)
