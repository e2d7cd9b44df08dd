"""The arithmetic of scalars: Python's, in the type in which both meet."""

import math
import operator

import numpy as np
from numpy._types import (
    _WEAK, BOOL, FLOAT64, INT64, _made, _rounded, float64, floating, generic, integer,
    promote_types, weakly,
)

_python_bool = type(1 == 1)
_new = float.__new__


def _divide(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return _over_zero(a, b)


def _over_zero(a, b):
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _floor_divide(a, b):
    try:
        return a // b
    except ZeroDivisionError:
        return _over_zero(a, b) if isinstance(a, float) else 0


def _remainder(a, b):
    try:
        return a % b
    except ZeroDivisionError:
        return math.nan if isinstance(a, float) else 0


def _power(a, b):
    if isinstance(a, int):
        if b < 0:
            raise ValueError("Integers to negative integer powers are not allowed.")
        return pow(a, b, 1 << 64) if b > 64 else a**b
    try:
        found = a**b
        return math.nan if isinstance(found, complex) else found
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ZeroDivisionError:
        return math.inf


def _operands(self, other, ufunc):
    """Both as Python's numbers, and the dtype in which they meet; None where arrays answer."""
    kind = type(other)
    if kind in _WEAK:
        found = weakly(self._dtype, kind)
        if kind is int and found.kind in "iu" and not found.low <= other <= found.high:
            raise OverflowError(f"Python integer {other} out of bounds for {found}")
    elif isinstance(other, generic):
        found, other = promote_types(self._dtype, other._dtype), other._plain()
    else:
        return None
    self = self._plain()
    if found.kind == "f":
        return float(self), float(other), found
    return self, other, found


def _unknown(self, other, function, turned):
    if isinstance(other, (list, tuple)):
        return getattr(np, function)(other, self) if turned else getattr(np, function)(self, other)
    return NotImplemented


def _arithmetic(name, function, operate):
    """`self op other` and `other op self`."""
    true = function == "divide"

    def method(self, other):
        if type(self) is float64 and (type(other) is float or type(other) is float64):
            return _new(float64, operate(float.__float__(self), float.__float__(other)))
        both = _operands(self, other, function)
        if both is None:
            return _unknown(self, other, function, False)
        a, b, found = both
        if found is BOOL:
            return getattr(np, function)(self, other)
        if true and found.kind != "f":
            found = FLOAT64
        return _made(found, operate(a, b))

    def turned(self, other):
        both = _operands(self, other, function)
        if both is None:
            return _unknown(self, other, function, True)
        b, a, found = both
        if found is BOOL:
            return getattr(np, function)(other, self)
        if true and found.kind != "f":
            found = FLOAT64
        return _made(found, operate(a, b))

    setattr(generic, f"__{name}__", method)
    setattr(generic, f"__r{name}__", turned)


def _safely(operate, what):
    def function(a, b):
        try:
            return operate(a, b)
        except OverflowError:
            return math.inf

    return function


for _name, _function, _operate in (
    ("add", "add", operator.add), ("sub", "subtract", operator.sub),
    ("mul", "multiply", operator.mul),
    ("truediv", "divide", _divide), ("floordiv", "floor_divide", _floor_divide),
    ("mod", "remainder", _remainder), ("pow", "power", _power),
):
    _arithmetic(_name, _function, _operate)


def _bits(name, function, operate):
    def method(self, other):
        both = _operands(self, other, function)
        if both is None:
            return _unknown(self, other, function, False)
        a, b, found = both
        if found.kind == "f":
            return getattr(np, function)(self, other)
        return _made(INT64 if found is BOOL and "shift" in function else found, operate(a, b))

    setattr(generic, f"__{name}__", method)
    if name not in ("lshift", "rshift"):
        setattr(generic, f"__r{name}__", method)
    else:
        setattr(
            generic, f"__r{name}__", lambda self, other: method(_made(self._dtype, other), self)
        )


for _name, _function in (
    ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor"), ("lshift", "left_shift"),
    ("rshift", "right_shift"),
):
    _bits(_name, _function, getattr(operator, f"{_name}_" if _name in ("and", "or") else _name))


def _comparison(name):
    operate = getattr(operator, name)
    function = {
        "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
        "ne": "not_equal",
    }[name]

    def method(self, other):
        if type(other) in _WEAK:
            if type(other) is float and self._dtype.kind == "f":
                other = _rounded(other, self._dtype)
            return np.bool_(operate(self._plain(), other))
        if isinstance(other, generic):
            return np.bool_(operate(self._plain(), other._plain()))
        return _unknown(self, other, function, False)

    setattr(generic, f"__{name}__", method)


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _comparison(_name)


def _neg(self):
    if self._dtype is BOOL:
        return np.negative(self)
    return _made(self._dtype, -self._plain())


def _round(self, ndigits=None):
    if ndigits is None:
        return round(self._plain())
    return np.round(self, ndigits)


def _invert(self):
    if self._dtype is BOOL:
        return np.bool_(not self._plain())
    if self._dtype.kind == "f":
        return np.invert(self)
    return _made(self._dtype, ~self._plain())


def _divmod(self, other):
    return self // other, self % other


generic.__neg__ = _neg
generic.__pos__ = lambda self: self
generic.__abs__ = lambda self: (
    self if self._dtype is BOOL else _made(self._dtype, abs(self._plain()))
)
generic.__round__ = _round
generic.__invert__ = _invert
generic.__divmod__ = _divmod
generic.__rdivmod__ = lambda self, other: (other // self, other % self)
generic.__matmul__ = lambda self, other: np.matmul(self, other)
generic.__hash__ = lambda self: hash(self._plain())
for _class in (integer, floating):
    _class.__hash__ = generic.__hash__
