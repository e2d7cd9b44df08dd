"""`torch.testing`: assertions about tensors, with messages that say how far apart they are."""

from math import isnan

import _glowgrad as _C
from _glowgrad import TensorBase

__all__ = ["assert_allclose", "assert_close"]

# Of each dtype: by which share of the expected number, and by how much, a number may be off.
_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}


class _Mismatch(Exception):
    """What is wrong, and the keys that lead there."""

    def __init__(self, message, keys=(), kind=AssertionError):
        super().__init__(message)
        self.message, self.keys, self.kind = message, keys, kind


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False,
                 check_device=True, check_dtype=True, check_layout=True, check_stride=False,
                 msg=None):
    """Raises an `AssertionError` where two tensors, or lists and dicts of them, are not close.

    >>> torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.0000001]))
    """
    options = rtol, atol, equal_nan, check_device, check_dtype, check_stride, allow_subclasses
    try:
        _C.quietly(lambda: _compared(actual, expected, options))
    except _Mismatch as mismatch:
        message = mismatch.message
        if mismatch.keys:
            path = "".join(f"[{key!r}]" for key in mismatch.keys)
            message += f"\n\nThe failure occurred for item {path}"
        if mismatch.kind is AssertionError and msg is not None:
            message = msg(message) if callable(msg) else msg
        raise mismatch.kind(message) from None


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """As `assert_close`, by its older name: dtypes may differ, and NaN is close to NaN.

    >>> torch.testing.assert_allclose(torch.ones(2), torch.ones(2))
    """
    from warnings import warn

    warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a "
        "future release. Please use `torch.testing.assert_close()` instead.",
        FutureWarning,
    )
    tensors = [
        x if isinstance(x, TensorBase) else _C.from_data(x, None, False)
        for x in (actual, expected)
    ]
    assert_close(
        *tensors, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False,
        check_stride=False, msg=msg or None,
    )


def _compared(actual, expected, options, keys=()):
    if isinstance(actual, dict) and isinstance(expected, dict):
        missing, more = set(expected) - set(actual), set(actual) - set(expected)
        if missing or more:
            raise _Mismatch(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(more)}", keys,
            )
        for key in actual:
            _compared(actual[key], expected[key], options, (*keys, key))
    elif isinstance(actual, (list, tuple)) and isinstance(expected, (list, tuple)):
        if len(actual) != len(expected):
            raise _Mismatch(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", keys
            )
        for place in range(len(actual)):
            _compared(actual[place], expected[place], options, (*keys, place))
    else:
        _compare_one(actual, expected, options, keys)


def _compare_one(actual, expected, options, keys):
    actual, expected = [getattr(x, "_glowgrad_tensor", x) for x in (actual, expected)]
    if actual is None or expected is None:
        if actual is not expected:
            raise _Mismatch(f"None mismatch: {actual} is not {expected}", keys)
    elif isinstance(actual, bool) and isinstance(expected, bool):
        if actual is not expected:
            raise _Mismatch(f"Booleans mismatch: {actual} is not {expected}", keys)
    elif isinstance(actual, (int, float)) and isinstance(expected, (int, float)):
        _compare_numbers(actual, expected, options, keys)
    elif isinstance(actual, TensorBase) and isinstance(expected, TensorBase) and (
        options[6] or type(actual) is type(expected)
    ):
        before = _C.set_grad_enabled(False)
        try:
            _compare_tensors(actual, expected, options, keys)
        finally:
            _C.set_grad_enabled(before)
    else:
        raise _Mismatch(
            f"No comparison pair was able to handle inputs of type {type(actual)} and "
            f"{type(expected)}.", (), TypeError,
        )


def _tolerances(rtol, atol, names):
    if (rtol is None) != (atol is None):
        lacking = "atol" if atol is None else "rtol"
        raise _Mismatch(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{lacking}.", (), ValueError,
        )
    if rtol is not None:
        return rtol, atol
    known = [_TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    return max(r for r, _ in known), max(a for _, a in known)


def _lines(kind, equal, differences):
    words = "equal" if equal else "close"
    return f"{kind} are not {words}!\n\n" + "\n".join(differences)


def _upto(tolerance, equal):
    return "" if equal else f" (up to {tolerance} allowed)"


def _scalars(actual, expected, rtol, atol, keys):
    equal = rtol == atol == 0
    if isnan(actual) or isnan(expected):
        difference = share = float("nan")
    else:
        difference = abs(actual - expected)
        share = difference / abs(expected) if expected else float("inf")
    raise _Mismatch(_lines("Scalars", equal, (
        f"Expected {expected} but got {actual}.",
        f"Absolute difference: {difference}{_upto(atol, equal)}",
        f"Relative difference: {share}{_upto(rtol, equal)}",
    )), keys)


def _compare_numbers(actual, expected, options, keys):
    rtol, atol, equal_nan, check_dtype = options[0], options[1], options[2], options[4]
    names = ["float64" if isinstance(x, float) else "int64" for x in (actual, expected)]
    rtol, atol = _tolerances(rtol, atol, names)
    if check_dtype and type(actual) is not type(expected):
        raise _Mismatch(
            f"The (d)types do not match: {type(actual)} != {type(expected)}.", keys
        )
    if actual == expected or isnan(actual) and isnan(expected) and equal_nan:
        return
    if not abs(actual - expected) <= atol + rtol * abs(expected):
        _scalars(actual, expected, rtol, atol, keys)


def _compare_tensors(actual, expected, options, keys):
    rtol, atol, equal_nan, check_device, check_dtype, check_stride = options[:6]
    rtol, atol = _tolerances(rtol, atol, (actual.dtype.name, expected.dtype.name))
    checks = [("shape", actual.shape, expected.shape)]
    if check_device:
        checks.append(("device", actual.device, expected.device))
    if check_dtype:
        checks.append(("dtype", actual.dtype, expected.dtype))
    if check_stride:
        checks.append(("stride()", actual.stride(), expected.stride()))
    for name, a, b in checks:
        if a != b:
            raise _Mismatch(f"The values for attribute '{name}' do not match: {a} != {b}.", keys)
    expected = expected.to(actual.device)
    if actual.dtype is not expected.dtype or not actual.dtype.is_floating_point:
        from glowgrad import promote_types

        dtype = promote_types(actual.dtype, expected.dtype)
        dtype = dtype if dtype.is_floating_point else _C.int64
        actual, expected = actual.to(dtype), expected.to(dtype)
    close = _C.isclose(actual, expected, rtol, atol, equal_nan)
    if close.all():
        return
    if actual.ndim == 0:
        _scalars(actual.item(), expected.item(), rtol, atol, keys)
    equal, n = rtol == atol == 0, actual.numel()
    missed = n - int(close.sum())
    difference = _C.where(close, 0, (actual - expected).abs())
    share = _C.where(close, 0, difference / expected.abs())
    lines = [f"Mismatched elements: {missed} / {n} ({missed / n:.1%})"]
    for name, values, tolerance in (("absolute", difference, atol), ("relative", share, rtol)):
        place = int(values.argmax())
        index = []
        for size in reversed(actual.shape):
            index.insert(0, place % size)
            place //= size
        most = values[tuple(index)].item()
        lines.append(
            f"Greatest {name} difference: {most} at index {tuple(index)}{_upto(tolerance, equal)}"
        )
    raise _Mismatch(_lines("Tensor-likes", equal, lines), keys)
