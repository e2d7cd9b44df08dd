"""What an exercise's checks are written with: `expect` and `expect_raises`."""

from _glowgrad import TensorBase


class CheckFailed(AssertionError):
    """A check found a counter-example; the message says which."""


def expect(got, want, given=None, tol=1e-6):
    """Fails unless `got` is `want`, within `tol` for numbers and tensors."""
    problem = _difference(got, want, tol)
    if problem is None:
        return
    lines = [] if given is None else [f"given     {given}"]
    lines += [f"got       {_text(got)}", f"expected  {_text(want)}"]
    if problem:
        lines.append(problem)
    raise CheckFailed("\n".join(lines))


def expect_raises(kind, call, given=None):
    """Fails unless `call()` raises an exception of this kind."""
    try:
        result = call()
    except kind:
        return
    except Exception as error:
        came = f"{type(error).__name__}: {error}"
    else:
        came = f"no exception, but {_text(result)}"
    lines = [] if given is None else [f"given     {given}"]
    lines += [f"got       {came}", f"expected  {getattr(kind, '__name__', kind)}"]
    raise CheckFailed("\n".join(lines))


def _text(value):
    text = repr(value)
    return text if len(text) <= 600 else text[:600] + " …"


def _difference(got, want, tol):
    """None where both agree, else one line on where they differ (empty if it is plain to see)."""
    if isinstance(want, TensorBase):
        if not isinstance(got, TensorBase):
            if isinstance(got, (int, float)) and want.ndim == 0:
                return _difference(got, want.item(), tol)
            return f"expected a tensor, got {type(got).__name__}"
        if got.shape != want.shape:
            return f"the shape is {list(got.shape)}, expected {list(want.shape)}"
        if got.dtype.is_floating_point != want.dtype.is_floating_point:
            return f"the dtype is {got.dtype}, expected {want.dtype}"
        return _elements(got.detach().reshape(-1).tolist(), want.detach().reshape(-1).tolist(),
                         list(want.shape), tol)
    if isinstance(got, TensorBase) and isinstance(want, (bool, int, float)):
        if got.numel() != 1:
            return f"expected one number, got a tensor of shape {list(got.shape)}"
        return f"expected a number, got a tensor; .item() takes the number out"
    if isinstance(want, bool) or isinstance(got, bool):
        return None if got is want else ""
    if isinstance(want, (int, float)) and isinstance(got, (int, float)):
        return None if _close(got, want, tol) else ""
    if isinstance(want, (list, tuple)) and isinstance(got, (list, tuple)):
        if len(got) != len(want):
            return f"there are {len(got)} values, expected {len(want)}"
        for index, (a, b) in enumerate(zip(got, want)):
            problem = _difference(a, b, tol)
            if problem is not None:
                return f"value {index} differs" + (f": {problem}" if problem else "")
        return None
    if isinstance(want, dict) and isinstance(got, dict):
        if list(got) != list(want) and set(got) != set(want):
            return f"the keys are {list(got)}, expected {list(want)}"
        for key in want:
            problem = _difference(got[key], want[key], tol)
            if problem is not None:
                return f"the value of {key!r} differs" + (f": {problem}" if problem else "")
        return None
    try:
        return None if got == want else ""
    except Exception:
        return ""


def _close(a, b, tol):
    if a != a or b != b:
        return a != a and b != b
    if a in (float("inf"), -float("inf")) or b in (float("inf"), -float("inf")):
        return a == b
    return abs(a - b) <= tol * max(1.0, abs(b))


def _elements(got, want, shape, tol):
    for flat, (a, b) in enumerate(zip(got, want)):
        if not _close(a, b, tol):
            index = []
            for size in reversed(shape):
                index.append(flat % size)
                flat //= size
            at = ", ".join(str(i) for i in reversed(index))
            wrong = sum(not _close(a, b, tol) for a, b in zip(got, want))
            more = f" ({wrong} of {len(want)} elements differ)" if len(want) > 1 else ""
            place = f"at [{at}]: " if shape else ""
            return f"{place}got {a:.7g}, expected {b:.7g}{more}" if not isinstance(a, bool) else (
                f"{place}got {a}, expected {b}{more}")
    return None
