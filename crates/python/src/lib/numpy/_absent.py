"""What to say of names that NumPy has and this module has not, or that NumPy itself took out."""

_REMOVED = {
    "alltrue": "np.all", "sometrue": "np.any", "float_": "np.float64", "Inf": "np.inf",
    "Infinity": "np.inf",
    "NaN": "np.nan", "NAN": "np.nan", "infty": "np.inf", "PINF": "np.inf", "NINF": "-np.inf",
    "round_": "np.round",
    "unicode_": "np.str_", "string_": "np.bytes_", "complex_": "np.complex128",
    "cfloat": "np.complex128",
    "asfarray": "np.asarray` with a proper dtype", "mat": "np.asmatrix",
}
_BUILTIN = ("int", "float", "complex", "str", "object")
_REAL = "numbers are real here; keep the real and the imaginary part in two arrays"
_TEXTS = "arrays hold numbers here; keep texts and objects in a list"
_INSTEAD = {
    "complex64": _REAL, "complex128": _REAL, "csingle": _REAL, "cdouble": _REAL, "str_": _TEXTS,
    "bytes_": _TEXTS,
    "object_": _TEXTS, "char": _TEXTS, "strings": _TEXTS, "chararray": _TEXTS, "void": _TEXTS,
    "rec": _TEXTS,
    "recarray": _TEXTS, "longdouble": "np.float64 is the widest float",
    "float128": "np.float64 is the widest float",
    "datetime64": "keep times as numbers of seconds",
    "timedelta64": "keep times as numbers of seconds",
    "ma": "np.where(mask, x, np.nan) with np.nanmean and its like leaves elements out",
    "matrix": "an array of two axes, with `@`", "asmatrix": "an array of two axes, with `@`",
    "bmat": "np.block", "polynomial": "np.polyfit and np.polyval",
    "nditer": "np.ndindex and np.ndenumerate",
    "roots": "its eigenvalues may be complex; np.polyval finds a change of sign",
    "i0": "the sum of its series",
    "histogramdd": "np.histogram and np.histogram2d", "emath": _REAL,
    "nextafter": "x + np.finfo(x.dtype).eps * x",
    "packbits": "np.bitwise_and with 1 << np.arange(8)",
    "unpackbits": "np.bitwise_and with 1 << np.arange(8)",
}


def instead(name):
    """The error for `np.NAME`."""
    if name in _REMOVED:
        raise AttributeError(
            f"`np.{name}` was removed in the NumPy 2.0 release. Use `{_REMOVED[name]}` instead."
            if "`" not in _REMOVED[name] else
            f"`np.{name}` was removed in the NumPy 2.0 release. Use `{_REMOVED[name]} instead."
        )
    if name in _BUILTIN:
        raise AttributeError(
            f"module 'numpy' has no attribute '{name}'.\n`np.{name}` was a deprecated alias for "
            f"the builtin `{name}`. To avoid this error in existing code, use `{name}` by itself."
        )
    if name in _INSTEAD:
        raise NotImplementedError(f"np.{name} is not here; instead: {_INSTEAD[name]}")
    raise AttributeError(f"module 'numpy' has no attribute '{name}'")


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """An array of the numbers in a text. >>> np.fromstring("1 2 3", sep=" ")"""
    import numpy as np

    words = string.split() if not sep.strip() else string.split(sep)
    values = [float(word) for word in words if word.strip()]
    return np.array(values[:count] if count >= 0 else values).astype(dtype)
