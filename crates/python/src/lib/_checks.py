"""What an exercise's checks are written with: `expect` and `expect_raises`.

A check is a function `check_…` without arguments; its docstring is a sentence that must hold. Checks
are written simplest first, so that the first one to fail shows the smallest counter-example. Nothing
is imported: `lessons/against_pytorch.py` runs this file on CPython with PyTorch too.
"""


class CheckFailed(AssertionError):
    """What the learner's code gave is not what must hold."""


def expect(got, want, given="", tol=1e-6):
    """`got` must equal `want`: type of thing, shape, and each number within `tol`.

    Numbers match when |got - want| <= tol * (1 + |want|). `given` says for which input, as the
    learner would write it: `given="x = [1, 2]"`.
    """
    why = _difference(got, want, tol)
    if why is not None:
        rows = [("given", given), ("got", _show(got)), ("expected", _show(want)), ("", why)]
        raise CheckFailed("\n".join((head + " " * (10 - len(head)) + text) for head, text in rows if text))


def expect_raises(kind, function):
    """Calling `function()` must raise `kind`."""
    try:
        result = function()
    except kind:
        return
    except Exception as error:
        raise CheckFailed("got       " + _raised(error) + "\nexpected  " + kind.__name__) from None
    raise CheckFailed("got       " + _show(result) + "\nexpected  " + kind.__name__ + " to be raised")


def _is_tensor(thing):
    return hasattr(thing, "tolist") and hasattr(thing, "shape")


def _is_number(thing):
    return isinstance(thing, (int, float)) and not isinstance(thing, bool)


def _difference(got, want, tol):
    """Why they differ, as a remark beside the two values; "" when the values say it; None if equal."""
    if got is None and want is not None:
        return "Does every path of your function return its result?"
    if _is_tensor(want):
        if not _is_tensor(got):
            return "A tensor was expected, not " + _kind(got) + "."
        if list(got.shape) != list(want.shape):
            return "The shapes differ: " + str(list(got.shape)) + " and " + str(list(want.shape)) + "."
        place = _first_difference(got.tolist(), want.tolist(), tol)
        if place is None:
            return None
        if _count(want.shape) <= 8:
            return ""
        return "They first differ at " + str(place[0]) + ": " + _number(place[1]) + ", not " + _number(place[2]) + "."
    if _is_tensor(got):
        return "Not a tensor was expected, but " + _kind(want) + (". Call .item()." if _is_number(want) else ".")
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)):
            return _kind(want) + " of " + str(len(want)) + " was expected, not " + _kind(got) + "."
        if len(got) != len(want):
            return str(len(want)) + " values were expected, not " + str(len(got)) + "."
        for index in range(len(want)):
            why = _difference(got[index], want[index], tol)
            if why is not None:
                return ("Value " + str(index) + " differs. " + why).strip()
        return None
    if _is_number(want):
        if not _is_number(got):
            return "A number was expected, not " + _kind(got) + "."
        return None if _close(got, want, tol) else ""
    return None if type(got) is type(want) and got == want else ""


def _close(got, want, tol):
    if got != got or want != want:
        return got != got and want != want
    if abs(want) == float("inf"):
        return got == want
    return abs(got - want) <= tol * (1 + abs(want))


def _first_difference(got, want, tol):
    """(index, got, want) where two nested lists of numbers first differ, or None."""
    if not isinstance(want, list):
        return None if _close(got, want, tol) else ([], got, want)
    for place in range(len(want)):
        found = _first_difference(got[place], want[place], tol)
        if found is not None:
            return ([place] + found[0], found[1], found[2])
    return None


def _count(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def _kind(thing):
    if thing is None:
        return "None"
    if _is_tensor(thing):
        return "a tensor"
    if isinstance(thing, bool):
        return "a bool"
    if isinstance(thing, (int, float)):
        return "a number"
    return "a " + type(thing).__name__


def _number(value):
    if isinstance(value, float):
        return "%.7g" % value
    return str(value)


def _show(thing, limit=160):
    if _is_tensor(thing):
        text = "tensor(" + _nested(thing.tolist()) + ")"
    elif isinstance(thing, (list, tuple)):
        inner = ", ".join(_show(item) for item in thing)
        if isinstance(thing, tuple):
            text = "(" + inner + ("," if len(thing) == 1 else "") + ")"
        else:
            text = "[" + inner + "]"
    elif isinstance(thing, float):
        text = _number(thing)
    else:
        text = repr(thing)
    return text if len(text) <= limit else text[:limit] + " …"


def _nested(value):
    if isinstance(value, list):
        return "[" + ", ".join(_nested(item) for item in value) + "]"
    return _number(value)
