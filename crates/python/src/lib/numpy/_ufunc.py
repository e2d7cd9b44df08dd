"""Functions of each element: `np.exp`, `np.add` and their like, with `out=`, `where=`, `reduce`
and `accumulate`."""

import math
import operator

import _glowgrad as _C
from numpy._core import asarray, normal_axis, on_cpu, quiet_class, result, tensor_of, words_of, wrap
from numpy._ndarray import ndarray
from numpy._types import (
    _WEAK, BOOL, BY_TORCH, FLOAT16, FLOAT32, FLOAT64, INT8, INT64, _dtype, _made, can_cast, generic,
    promote_types,
    weakly,
)

_TensorBase = _C.TensorBase


class UFuncTypeError(TypeError):
    """Raised where a ufunc has no rule for its types.
    >>> issubclass(np.exceptions.UFuncTypeError, TypeError)"""


def broadcast_shape(shapes):
    """The shape in which these meet."""
    n = max([len(shape) for shape in shapes], default=0)
    met = [1] * n
    for shape in shapes:
        for d, size in enumerate(shape, n - len(shape)):
            if size != 1 and met[d] not in (1, size):
                raise ValueError(
                    "operands could not be broadcast together with shapes "
                    + "".join([f"{words_of(shape)} " for shape in shapes])
                )
            met[d] = size if size != 1 else met[d]
    return tuple(met)


def float_of(kind):
    """The floats in which a function of floats computes numbers of a type."""
    if kind.kind == "f":
        return kind
    return FLOAT16 if kind.itemsize == 1 else FLOAT32 if kind.itemsize == 2 else FLOAT64


def _same(kind):
    return kind


def _no_bool(kind):
    return INT8 if kind is BOOL else kind


def _true(kind):
    return kind if kind.kind == "f" else FLOAT64


def _as_bool(kind):
    return BOOL


@lambda cls: quiet_class(cls, ("__call__", "reduce", "accumulate", "at"))
class ufunc:
    """A function of each element. >>> np.add(np.arange(3), 1)"""

    nout = 1
    identity = _math = None

    def __init__(self, name, nin, run, kind, gives=None, identity=None, doc=None):
        self.__name__, self.nin, self.nargs = name, nin, nin + 1
        self._run, self._kind, self._gives, self.identity = run, kind, gives, identity
        if doc:
            self.__doc__ = doc

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __call__(self, *args, **options):
        out, where, dtype = None, True, None
        if options:
            out, where, dtype = [options.pop(name, None) for name in ("out", "where", "dtype")]
            where = True if where is None else where
            for name in options:
                if name not in ("casting", "order", "subok", "signature"):
                    raise TypeError(
                        f"{self.__name__}() got an unexpected keyword argument '{name}'"
                    )
        elif self._math is not None and len(args) == 1:
            found = _plainly(self, args[0])
            if found is not None:
                return found
        if len(args) == self.nin + 1 and out is None:
            args, out = args[:-1], args[-1]
        if len(args) != self.nin:
            most = f"from {self.nin} to {self.nin + 1} positional arguments"
            were = "was" if len(args) == 1 else "were"
            raise TypeError(f"{self.__name__}() takes {most} but {len(args)} {were} given")
        operands, kind, learned = _operands(self, args, dtype)
        try:
            found = self._run(*operands)
        except RuntimeError:
            broadcast_shape([x.shape for x in operands if isinstance(x, _TensorBase)])
            raise
        if self._gives is not None and BY_TORCH[found.dtype] is not self._gives:
            found = found._to(self._gives.torch)
        if out is None and where is True:
            return found if learned else result(found)
        return _written(self.__name__, found, out, where)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """The function between all elements along an axis. >>> np.add.reduce([1, 2, 3])"""
        from numpy import _reduce

        name = _REDUCTIONS.get(self.__name__)
        if name:
            return getattr(_reduce, name)(array, axis=axis, out=out, keepdims=keepdims)
        a = asarray(array, dtype)
        axis = normal_axis(axis, a.ndim)
        rows = _C.unbind(a._t, axis)
        found = wrap(rows[0])
        for row in rows[1:]:
            found = self(found, wrap(row))
        return wrap(found._t.unsqueeze(axis)) if keepdims else found

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """The function between all elements up to each. >>> np.maximum.accumulate([1, 3, 2])"""
        a = asarray(array, dtype)
        axis = normal_axis(axis, a.ndim)
        name = self.__name__
        if name in ("add", "multiply"):
            from numpy import _reduce

            found = (_reduce.cumsum if name == "add" else _reduce.cumprod)(a, axis, dtype)._t
        elif name in ("maximum", "minimum"):
            found = (_C.cummax if name == "maximum" else _C.cummin)(a._t, axis)[0]
        else:
            rows = [wrap(row) for row in _C.unbind(a._t, axis)]
            for i in range(1, len(rows)):
                rows[i] = self(rows[i - 1], rows[i])
            found = _C.stack([tensor_of(row) for row in rows], axis)
        return _written(name, found, out, True)

    def outer(self, A, B, **kwargs):
        """The function between each element of A and each of B.
        >>> np.add.outer([1, 2], [10, 20])"""
        a, b = asarray(A), asarray(B)
        return self(wrap(a._t.reshape(list(a.shape) + [1] * b.ndim)), b, **kwargs)

    def at(self, a, indices, b=None):
        """The function at indices, again for each that comes twice.
        >>> np.add.at(np.zeros(3), [0, 0], 1)"""
        places = asarray(indices)
        if (
            self.__name__ == "add"
            and places.ndim <= 1
            and places.dtype is not BOOL
            and not isinstance(indices, tuple)
        ):
            value = tensor_of(b)._to(a._t.dtype)
            index = places._t.reshape(-1)._to(_C.int64)
            a._t._index_put((index,), value.expand([len(index)] + list(a.shape[1:])), True, True)
            return
        if isinstance(indices, tuple):
            indices = [tuple(each) for each in zip(*[asarray(part).tolist() for part in indices])]
        else:
            indices = places.tolist()
        values = (
            None
            if b is None
            else wrap(tensor_of(b).expand([len(indices)] + list(a[indices[0]].shape)))
        )
        for i, place in enumerate(indices):
            a[place] = self(a[place]) if values is None else self(a[place], values[i])


_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
    "logical_or": "any",
}


def _plainly(ufunc, x):
    """A function of one number, as Python computes it; None where that is an array's."""
    kind = type(x)
    if kind is float or kind is int:
        kind = FLOAT64
    elif isinstance(x, generic) and x._dtype.kind != "b":
        kind, x = float_of(x._dtype), x._plain()
    else:
        return None
    try:
        return _made(kind, ufunc._math(x))
    except (ValueError, OverflowError):
        # What the engine says of infinities and NaN.
        return None


def _operands(ufunc, args, dtype):
    """The operands as the engine takes them, their type, and whether the learner gave a tensor."""
    found, weak, learned, tensors = None, None, False, []
    for arg in args:
        cls = type(arg)
        if cls is ndarray:
            arg = arg._t
        elif cls in _WEAK:
            if weak is None or _WEAK[cls] > _WEAK[weak]:
                weak = cls
            tensors.append(arg)
            continue
        elif isinstance(arg, _TensorBase):
            learned, arg = True, tensor_of(arg)
        elif isinstance(arg, str) or arg is None:
            raise _not_for(ufunc)
        else:
            arg = tensor_of(arg)
        kind = BY_TORCH[arg.dtype]
        found = kind if found is None or found is kind else promote_types(found, kind)
        tensors.append(arg)
    whole = found is None
    found = _WEAK_TYPES[weak] if whole else found if weak is None else weakly(found, weak)
    found = _dtype(dtype) if dtype is not None else ufunc._kind(found)
    if found is None:
        raise _not_for(ufunc)
    plain = ufunc._run in _PLAIN and not whole
    for i, x in enumerate(tensors):
        if type(x) in _WEAK:
            tensors[i] = _number(ufunc, x, found, plain)
        elif BY_TORCH[x.dtype] is not found:
            tensors[i] = x._to(found.torch)
    return tensors, found, learned


def _not_for(ufunc):
    return TypeError(
        f"ufunc '{ufunc.__name__}' not supported for the input types, and the inputs could not be "
        f"safely "
        "coerced to any supported types according to the casting rule ''safe''"
    )


_WEAK_TYPES = {kind: (BOOL, INT64, FLOAT64)[rank] for kind, rank in _WEAK.items()}


def _number(ufunc, value, kind, plain):
    """Python's number for a calculation in a type, as a tensor unless the operator takes it as
    it is."""
    if kind.kind in "iu" and type(value) is int and not kind.low <= value <= kind.high:
        if ufunc._gives is not BOOL:
            raise OverflowError(f"Python integer {value} out of bounds for {kind}")
        # A comparison: as far away as can be told.
        value = float(value)
        return on_cpu(_C.full, (), value, _C.float64, False)
    if plain and kind.kind != "b":
        return float(value) if kind.kind == "f" else int(value)
    return on_cpu(_C.full, (), value, kind.torch, False)


def _written(name, found, out, where):
    """A result in `out`, where `where` holds."""
    if isinstance(out, tuple):
        out = out[0]
    if out is None:
        if where is True:
            return result(found)
        mask = tensor_of(where, BOOL)
        return result(_C.where(mask, found, on_cpu(_C.full, (), 0, found.dtype, False)))
    if not isinstance(out, ndarray):
        raise TypeError("return arrays must be of ArrayType")
    kind = BY_TORCH[found.dtype]
    if not can_cast(kind, out.dtype, "same_kind"):
        raise UFuncTypeError(
            f"Cannot cast ufunc '{name}' output from {kind!r} to {out.dtype!r} with casting rule "
            "'same_kind'"
        )
    shape = tuple(found.shape)
    if shape != out.shape and broadcast_shape([shape, out.shape]) != out.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {words_of(out.shape)} doesn't match the "
            f"broadcast shape {words_of(broadcast_shape([shape, out.shape]))}"
        )
    if where is not True:
        found = _C.where(tensor_of(where, BOOL), found._to(out._t.dtype), out._t)
    out._t.copy_(found)
    return out


# What each computes


def _add(a, b):
    return _C.logical_or(a, b) if _are_bools(a, b) else a + b


def _subtract(a, b):
    if _are_bools(a, b):
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the "
            "`^` operator, or the logical_xor function instead."
        )
    return a - b


def _multiply(a, b):
    return _C.logical_and(a, b) if _are_bools(a, b) else a * b


def _are_bools(a, b):
    return isinstance(a, _TensorBase) and a.dtype is _C.bool and isinstance(b, _TensorBase)


def _negative(a):
    if a.dtype is _C.bool:
        raise TypeError(
            "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator "
            "or the logical_not function instead."
        )
    return -a


def _power(a, b):
    if not (a if isinstance(a, _TensorBase) else b).dtype.is_floating_point:
        negative = (b < 0).any().item() if isinstance(b, _TensorBase) else b < 0
        if negative:
            raise ValueError("Integers to negative integer powers are not allowed.")
    return a**b


def _whole_division(operate):
    """A division that gives 0 where a whole number is divided by 0."""

    def run(a, b):
        if a.dtype.is_floating_point:
            return operate(a, b)
        zero = b == 0
        if not zero.any().item():
            return operate(a, b)
        return operate(a, b.masked_fill(zero, 1)).masked_fill(zero, 0)

    return run


def _maximum(a, b):
    return _C.logical_or(a, b) if a.dtype is _C.bool else _C.maximum(a, b)


def _minimum(a, b):
    return _C.logical_and(a, b) if a.dtype is _C.bool else _C.minimum(a, b)


def _sign(a):
    found = _C.sign(a)
    return _C.where(a != a, a, found) if a.dtype.is_floating_point else found


def _whole(function):
    """Rounding, which leaves whole numbers as they are."""
    return lambda a: function(a) if a.dtype.is_floating_point else a.clone()


def _finite(function, else_):
    def run(a):
        if a.dtype.is_floating_point:
            return function(a)
        return on_cpu(_C.full, list(a.shape), else_, _C.bool, False)

    return run


def _heaviside(x, h):
    one = (x > 0)._to(x.dtype)
    return _C.where(x != x, x, _C.where(x == 0, h, one))


def _cbrt(x):
    root = _C.sign(x) * x.abs() ** (1 / 3)
    # One step of Newton's makes the last digits right.
    better = root - (root * root * root - x) / (3 * root * root)
    return _C.where(_C.isfinite(better), better, root)


def _gcd(a, b):
    a, b = a.abs(), b.abs()
    a, b = _C.broadcast_to(a, broadcast_shape([a.shape, b.shape])), b
    while (b != 0).any().item():
        zero = b == 0
        rest = a % b.masked_fill(zero, 1)
        a, b = _C.where(zero, a, b), _C.where(zero, b, rest)
    return a


def _lcm(a, b):
    divisor = _gcd(a, b)
    return (a // divisor.masked_fill(divisor == 0, 1) * b).abs()


_PLAIN = (_add, _subtract, _multiply, operator.truediv, _power) + tuple(
    [getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")]
)
_ARITHMETIC = (
    ("add", _add, _same, 0, "The sum"), ("subtract", _subtract, _same, None, "The difference"),
    ("multiply", _multiply, _same, 1, "The product"),
    ("divide", operator.truediv, _true, None, "The quotient"),
    ("floor_divide", _whole_division(operator.floordiv), _no_bool, None,
        "The quotient, rounded down"),
    ("remainder", _whole_division(_C.remainder), _no_bool, None,
        "What is left of a division, with the divisor's sign"),
    ("fmod", _whole_division(_C.fmod), _no_bool, None,
        "What is left of a division, with the dividend's sign"),
    ("power", _power, _no_bool, None, "x1 to the power of x2"),
    ("float_power", _power, lambda kind: FLOAT64, None, "x1 to the power of x2, in float64"),
    ("maximum", _maximum, _same, None, "The greater; NaN where one is"),
    ("minimum", _minimum, _same, None, "The smaller; NaN where one is"),
    ("fmax", _C.fmax, _same, None, "The greater; NaN where both are"),
    ("fmin", _C.fmin, _same, None, "The smaller; NaN where both are"),
    ("arctan2", _C.atan2, float_of, None, "The angle of the point (x2, x1)"),
    ("hypot", _C.hypot, float_of, 0, "The hypotenuse"),
    ("copysign", _C.copysign, float_of, None, "x1 with the sign of x2"),
    ("logaddexp", _C.logaddexp, float_of, None, "log(exp(x1) + exp(x2))"),
    ("logaddexp2", lambda a, b: _C.logaddexp(a * math.log(2), b * math.log(2)) / math.log(2),
        float_of, None,
     "log2(2**x1 + 2**x2)"),
    ("heaviside", _heaviside, float_of, None, "0 below 0, x2 at 0, 1 above"),
    ("gcd", _gcd, _no_bool, 0, "The greatest common divisor"),
    ("lcm", _lcm, _no_bool, None, "The least common multiple"),
    ("ldexp", lambda a, b: a * _C.exp2(b), float_of, None, "x1 * 2**x2"),
)
_BITS = (
    ("bitwise_and", _C.bitwise_and), ("bitwise_or", _C.bitwise_or), ("bitwise_xor", _C.bitwise_xor),
    ("left_shift", _C.bitwise_left_shift), ("right_shift", _C.bitwise_right_shift),
)
_COMPARISONS = (
    ("less", "lt", "<"), ("less_equal", "le", "<="), ("greater", "gt", ">"),
    ("greater_equal", "ge", ">="),
    ("equal", "eq", "=="), ("not_equal", "ne", "!="),
)


def _bits(kind):
    return None if kind.kind == "f" else kind


def _keep(name, *rest, **options):
    globals()[name] = ufunc(name, *rest, **options)


for _name, _run, _kind, _identity, _what in _ARITHMETIC:
    _keep(_name, 2, _run, _kind, identity=_identity, doc=f"{_what}. >>> np.{_name}([6, 7], 3)")
for _name, _run in _BITS:
    _rule = (
        (lambda kind: None if kind.kind == "f" else _no_bool(kind)) if "shift" in _name else _bits
    )
    _keep(_name, 2, _run, _rule, doc=f"The bits of both. >>> np.{_name}([6, 7], 3)")
for _name, _short, _sign_of in _COMPARISONS:
    _doc = f"Where x1 {_sign_of} x2. >>> np.{_name}([6, 7], 7)"
    _keep(_name, 2, getattr(operator, _short), _same, BOOL, doc=_doc)
for _name in ("and", "or", "xor"):
    _doc = f"Where x1 {_name} x2 is not 0. >>> np.logical_{_name}([0, 1], 1)"
    _keep(
        f"logical_{_name}",
        2,
        getattr(_C, f"logical_{_name}"),
        _same,
        BOOL,
        _name == "and",
        doc=_doc,
    )
for _name, _op in (
    ("exp", "exp"), ("exp2", "exp2"), ("expm1", "expm1"), ("log", "log"), ("log2", "log2"),
    ("log10", "log10"),
    ("log1p", "log1p"), ("sqrt", "sqrt"), ("sin", "sin"), ("cos", "cos"), ("tan", "tan"),
    ("arcsin", "asin"),
    ("arccos", "acos"), ("arctan", "atan"), ("sinh", "sinh"), ("cosh", "cosh"), ("tanh", "tanh"),
    ("arcsinh", "asinh"), ("arccosh", "acosh"), ("arctanh", "atanh"),
):
    _keep(
        _name,
        1,
        getattr(_C, _op),
        float_of,
        doc=f"`{_name}` of each element. >>> np.{_name}([0.5, 1.0])",
    )
    globals()[_name]._math = getattr(math, _op)
for _name, _run, _kind, _gives, _what in (
    ("negative", _negative, _same, None, "-x"),
    ("positive", lambda a: a.clone(), _same, None, "+x"),
    ("absolute", lambda a: a.clone() if a.dtype is _C.bool else a.abs(), _same, None,
        "The size, without sign"),
    ("fabs", _C.abs, float_of, None, "The size, without sign"),
    ("sign", _sign, _no_bool, None, "-1, 0 or 1"),
    ("square", lambda a: a * a, _no_bool, None, "x * x"),
    ("conjugate", lambda a: a.clone(), _same, None, "x itself"),
    ("reciprocal", lambda a: 1 / a if a.dtype.is_floating_point else _trunc_reciprocal(a), _no_bool,
        None, "1 / x"),
    ("floor", _whole(_C.floor), _same, None, "The next whole number below"),
    ("ceil", _whole(_C.ceil), _same, None, "The next whole number above"),
    ("trunc", _whole(_C.trunc), _same, None, "Without what stands behind the point"),
    ("rint", lambda a: _C.round(a), float_of, None, "The nearest whole number"),
    ("invert", _C.bitwise_not, _bits, None, "All bits turned"),
    ("cbrt", _cbrt, float_of, None, "The cube root"),
    ("isnan", _finite(_C.isnan, False), _same, BOOL, "Where it is NaN"),
    ("isinf", _finite(_C.isinf, False), _same, BOOL, "Where it is infinite"),
    ("isfinite", _finite(_C.isfinite, True), _same, BOOL, "Where it is a finite number"),
    ("signbit", _C.signbit, float_of, BOOL, "Where it has a minus"),
    ("logical_not", _C.logical_not, _same, BOOL, "Where it is 0"),
    ("deg2rad", _C.deg2rad, float_of, None, "Degrees as radians"),
    ("rad2deg", _C.rad2deg, float_of, None, "Radians as degrees"),
):
    _values = "[0, 1]" if _kind is _bits else "[0.5, 1.0]"
    _keep(_name, 1, _run, _kind, _gives, doc=f"{_what}. >>> np.{_name}({_values})")


def _trunc_reciprocal(a):
    return (a == 1)._to(a.dtype) - (a == -1)._to(a.dtype)


abs = absolute
mod, true_divide, pow = remainder, divide, power
acos, asin, atan, atan2 = arccos, arcsin, arctan, arctan2
acosh, asinh, atanh = arccosh, arcsinh, arctanh
bitwise_not = bitwise_invert = invert
bitwise_left_shift, bitwise_right_shift = left_shift, right_shift
radians, degrees, conj = deg2rad, rad2deg, conjugate


def divmod(x1, x2):
    """The quotient, rounded down, and what is left. >>> np.divmod([7, 8], 3)"""
    return floor_divide(x1, x2), remainder(x1, x2)


def modf(x):
    """What stands behind the point, and the whole part. >>> np.modf([1.5, -2.25])"""
    whole = trunc(asarray(x).astype(float_of(asarray(x).dtype)))
    return subtract(x, whole), whole


def frexp(x):
    """Fractions from 0.5 to 1 and exponents of 2. >>> np.frexp([1.5, 8.0])"""
    t = tensor_of(x)
    t = t._to(float_of(BY_TORCH[t.dtype]).torch)
    exponent = _C.where(t == 0, t, _C.floor(_C.log2(t.abs())) + 1)
    return result(t / _C.exp2(exponent)), result(exponent._to(_C.int32))


def _core_shape(name, a, b):
    for i, x in enumerate((a, b)):
        if not x.ndim:
            raise ValueError(
                f"{name}: Input operand {i} does not have enough dimensions (has 0, gufunc core "
                f"with "
                "signature (n?,k),(k,m?)->(n?,m?) requires 1)"
            )
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if inner != a.shape[-1]:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            f"signature (n?,k),(k,m?)->(n?,m?) (size {inner} is different from {a.shape[-1]})"
        )


def _product(a, b):
    _core_shape("matmul", a, b)
    return multiplied(a, b)


def multiplied(a, b):
    """The product of matrices of any type."""
    if a.dtype is _C.bool:
        return _C.matmul(a._to(_C.int64), b._to(_C.int64)) != 0
    return _C.matmul(a, b)


matmul = ufunc(
    "matmul",
    2,
    _product,
    _same,
    doc="The product of matrices. >>> np.matmul(np.eye(2), [1.0, 2.0])",
)


def vecdot(x1, x2, *, axis=-1):
    """The dot products along an axis. >>> np.vecdot(np.ones((2, 3)), np.ones(3))"""
    return multiply(x1, x2).sum(axis)


__all__ = [_name for _name in dir() if not _name.startswith("_")]
