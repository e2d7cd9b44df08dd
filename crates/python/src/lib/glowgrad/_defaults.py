"""Another default dtype than float32: of floats, and of ops on integers."""

import _glowgrad as _C
import glowgrad as _torch
from _glowgrad import TensorBase
from glowgrad._place import _default
from glowgrad._tensor import Tensor
from glowgrad._types import _dtype_of

# Ops of `_glowgrad` that make floats of Python's numbers, with the place of `dtype`.
_MAKERS = {
    "arange": 3, "eye": 2, "from_data": 1, "full": 2, "linspace": 3, "logspace": 4, "rand": 1,
    "randn": 1,
}
# Ops whose results are floats where a tensor of integers or a Python float is given.
_OPS = (
    "acos acosh add angle asin asinh atan atan2 atanh clamp cos cosh deg2rad div divide erf "
    "erfc exp exp2 expm1 floor_divide fmod hypot log log10 log1p log2 log_softmax logaddexp "
    "logit logsumexp mul multiply nan_to_num pow rad2deg reciprocal remainder rsqrt sigmoid sin "
    "sinc sinh softmax sqrt sub subtract tan tanh true_divide where xlogy"
)
_OPERATORS = (
    "add radd sub rsub mul rmul truediv rtruediv pow rpow mod rmod floordiv rfloordiv"
)
# What stood where something stands now: owner, name, and whether the owner itself had it.
_replaced = []


def _change(dtype):
    """Makes a dtype of floats the default, here and in what makes tensors."""
    if not isinstance(dtype, _C.dtype):
        raise TypeError(
            "invalid dtype object: only floating-point types are supported as the default type"
        )
    if not dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default[0] = dtype
    while _replaced:
        owner, name, before = _replaced.pop()
        if before is None:
            delattr(owner, name)
        else:
            setattr(owner, name, before)
    if dtype is not _C.float32:
        for name, place in _MAKERS.items():
            _replace(_C, name, _maker(name, getattr(_C, name), place))
        for name in _OPS.split():
            for owner in (_C, _torch, Tensor):
                if hasattr(owner, name):
                    _replace(owner, name, _op(name, getattr(owner, name)))
        for name in _OPERATORS.split():
            name = f"__{name}__"
            _replace(Tensor, name, _op(name, getattr(Tensor, name)))
        _replace(Tensor, "__new__", _new)
        _replace(Tensor, "__repr__", _shown)


def _replace(owner, name, value):
    _replaced.append((owner, name, owner.__dict__.get(name)))
    setattr(owner, name, value)


def _has_floats(data):
    """Whether the first number of nested lists is one of Python's, so that the default decides."""
    while isinstance(data, (list, tuple)) and len(data):
        if any(isinstance(each, TensorBase) for each in data):
            return False
        data = data[0]
    return not isinstance(data, TensorBase)


def _maker(name, make, place):
    def function(*args):
        args = list(args) + [None] * (place + 1 - len(args))
        if args[place] is None and _wants_default(name, args):
            args[place] = _default[0]
        return make(*args)

    return function


def _wants_default(name, args):
    if name == "full":
        return isinstance(args[1], float)
    if name == "arange":
        return any(isinstance(each, float) for each in args[:3])
    if name == "from_data":
        made = _C.quietly(lambda: _original("from_data")(args[0], None, False))
        return made.dtype is _C.float32 and _has_floats(args[0])
    return True


def _original(name):
    return next(before for owner, own, before in _replaced if owner is _C and own == name)


def _op(name, op):
    def function(*args, **kwargs):
        result = op(*args, **kwargs)
        if getattr(result, "dtype", None) is not _C.float32 or kwargs.get("dtype") is not None:
            return result
        tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, TensorBase)]
        if any(x.dtype.is_floating_point for x in tensors):
            return result
        wide = [
            x.to(_default[0]) if isinstance(x, TensorBase) and x.dtype is not _C.bool else x
            for x in args
        ]
        again = op(*wide, **kwargs)
        return again if again.dtype is _default[0] else again.to(_default[0])

    function.__name__, function.__doc__ = name, getattr(op, "__doc__", None)
    return function


def _new(cls, *args, **kwargs):
    made = TensorBase.__new__(cls, *args, **kwargs)
    if args and isinstance(args[0], TensorBase):
        return made
    return made.to(_default[0])


def _shown(self):
    """As PyTorch prints a tensor: the dtype is left out where it is the default."""
    text = TensorBase.__repr__(self)
    own = f"dtype={self.dtype}"
    if self.dtype is _default[0]:
        for gap in (", ", ",\n" + " " * (text.index("(") + 1)):
            text = text.replace(gap + own, "")
    elif self.dtype is _C.float32 and own not in text:
        last = ", grad_fn=" if "grad_fn=" in text else ", requires_grad="
        start, mark, rest = text.rpartition(last)
        text = f"{start}, {own}{mark}{rest}" if mark else f"{text[:-1]}, {own})"
    return text


def set_default_tensor_type(t, /):
    """As `set_default_dtype`, by a type of tensors or its name.

    >>> torch.set_default_tensor_type(torch.FloatTensor)
    """
    from warnings import warn

    warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
        "torch.set_default_dtype() and torch.set_default_device() as alternatives."
    )
    _change(_dtype_of(t))
