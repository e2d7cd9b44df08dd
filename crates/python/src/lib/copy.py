"""Shallow and deep copies."""

_ATOMS = (
    type(None), bool, int, float, complex, str, bytes, type, range, slice, property,
    type(Ellipsis), type(NotImplemented), type(lambda: None), type(len),
)


class Error(Exception):
    pass


def copy(x):
    """A new object with the same contents."""
    cls = type(x)
    if cls in _ATOMS or issubclass(cls, type) or cls is tuple or cls is frozenset:
        return x
    if cls in (list, dict, set, bytearray):
        return x.copy()
    if hasattr(cls, "__copy__"):
        return x.__copy__()
    return _rebuild(x, lambda value: value, {})


def deepcopy(x, memo=None):
    """A new object with copies of the contents."""
    memo = {} if memo is None else memo
    if id(x) in memo:
        return memo[id(x)]
    cls = type(x)
    if cls in _ATOMS or issubclass(cls, type):
        return x
    if hasattr(cls, "__deepcopy__"):
        y = x.__deepcopy__(memo)
    elif cls is list:
        y = memo[id(x)] = []
        y.extend([deepcopy(value, memo) for value in x])
    elif cls is tuple:
        y = tuple([deepcopy(value, memo) for value in x])
    elif cls is dict:
        y = memo[id(x)] = {}
        for key, value in x.items():
            y[deepcopy(key, memo)] = deepcopy(value, memo)
    elif cls in (set, frozenset):
        y = cls([deepcopy(value, memo) for value in x])
    else:
        y = _rebuild(x, lambda value: deepcopy(value, memo), memo)
    memo[id(x)] = y
    # Keeps x alive as long as the memo, so that its id is not used again.
    memo.setdefault(id(memo), []).append(x)
    return y


def _rebuild(x, each, memo):
    cls = type(x)
    arguments = ()
    for base in (int, float, str, bytes, tuple):
        if issubclass(cls, base):
            arguments = (tuple([each(value) for value in x]) if base is tuple else base(x),)
            break
    y = memo[id(x)] = cls.__new__(cls, *arguments)
    for name, value in getattr(x, "__dict__", {}).items():
        y.__dict__[name] = each(value)
    for base in cls.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(x, name) and name not in ("__dict__", "__weakref__"):
                setattr(y, name, each(getattr(x, name)))
    if issubclass(cls, list):
        y.extend([each(value) for value in x])
    elif issubclass(cls, dict):
        if hasattr(x, "default_factory"):
            y.default_factory = x.default_factory
        for key, value in x.items():
            dict.__setitem__(y, each(key), each(value))
    elif issubclass(cls, set):
        y.update([each(value) for value in x])
    elif hasattr(cls, "appendleft"):
        y.extend([each(value) for value in x])
    return y


def replace(x, /, **changes):
    """A copy with some fields changed."""
    return type(x).__replace__(x, **changes)
