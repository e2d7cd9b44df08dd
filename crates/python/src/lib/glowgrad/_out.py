"""`out=` of functions that are written in Python; those of the registry take it natively."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._place import _beside, _placed


def _made(make):
    """As `_placed`; with `out=` it writes into that tensor, in whose dtype it makes what it makes."""
    placed = _placed(make)
    by_name = make.__name__ in ("zeros", "ones", "empty", "rand", "randn")

    def made(*args, out=None, **kwargs):
        if by_name and "size" in kwargs:
            args = (*args, kwargs.pop("size"))
        if out is None:
            return placed(*args, **kwargs)
        if kwargs.get("dtype") is None and isinstance(out, TensorBase):
            kwargs["dtype"] = out.dtype
        return _C.write_out(make.__name__, out, placed(*args, **kwargs), False)

    made.__name__, made.__doc__ = make.__name__, make.__doc__
    return made


def _with_out(function, casts=False):
    """`function`, which with `out=` writes its result into that tensor."""

    def into(*args, out=None, **kwargs):
        result = _beside(function, args, kwargs)
        return result if out is None else _C.write_out(function.__name__, out, result, casts)

    into.__name__, into.__doc__, into.__wrapped__ = function.__name__, function.__doc__, function
    return into
