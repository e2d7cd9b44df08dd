"""Functions of single numbers that are made of other ops: their parts, neighbours and divisors."""

import math

import _glowgrad as _C
import glowgrad as _torch
from _glowgrad import TensorBase
from glowgrad._compose import _floating, _meet, _named, _not_implemented, _ruled, _takes
from glowgrad._out import _with_out
from glowgrad._place import _widest_float
from glowgrad._tensor import _Named

# The integers that have the bits of a float, how many bits its fraction has, and its bias.
_BITS = {
    "float16": (_C.int16, 10, 15), "bfloat16": (_C.int16, 7, 127), "float32": (_C.int32, 23, 127),
    "float64": (_C.int64, 52, 1023),
}


def _refuse(name, x):
    raise NotImplementedError(f'"{name}_cpu" not implemented for \'{x.dtype.scalar_name}\'')


def _only_integers(name, *inputs):
    for x in inputs:
        if x.dtype.is_floating_point or x.dtype is _C.bool:
            _refuse(name, x)


# Integers


def _divisor(a, b):
    a, b = _torch.broadcast_tensors(a.abs(), b.abs())
    # As many steps as neighbouring Fibonacci numbers of 64 bits need.
    for _ in range(93):
        done = b == 0
        if not _C.is_capturing() and done.all().item():
            break
        rest = _C.remainder(a, _C.where(done, 1, b))
        a, b = _C.where(done, a, b), _C.where(done, 0, rest)
    return a


@_with_out
@_takes("input", "other")
def gcd(input, other):
    """The greatest number by which both integers can be divided.

    >>> torch.gcd(torch.tensor([12, 9]), torch.tensor([18, 6]))
    """
    _only_integers("gcd", input, other)
    dtype = _meet(input, other)
    return _C.quietly(lambda: _divisor(input.to(dtype), other.to(dtype)))


@_with_out
@_takes("input", "other")
def lcm(input, other):
    """The least number that can be divided by both integers.

    >>> torch.lcm(torch.tensor([4, 6]), torch.tensor([6, 15]))
    """
    _only_integers("lcm", input, other)
    common = gcd(input, other)
    return (_C.div_trunc(input, _C.where(common == 0, 1, common)) * other).abs()


# Fractions and exponents


def _power_of_two(exponent, dtype):
    """2 to an integer within the exponents of a dtype, exactly."""
    integers, fraction, bias = _BITS[dtype.name]
    return (exponent.to(integers) + bias << fraction).view(dtype)


def _shifted(x, exponent):
    """x · 2 to an integer, rounded once."""
    _, fraction, bias = _BITS[x.dtype.name]
    most = 2 * bias + fraction + 1
    rest = exponent.clamp(-most, most)
    factors = []
    for _ in range(3):
        part = rest.clamp(1 - bias, bias)
        factors.append(_power_of_two(part, x.dtype))
        rest = rest - part
    # The smallest steps first, so that numbers near zero are rounded by the last.
    return x * factors[2] * factors[1] * factors[0]


def _exponent(x):
    """The exponent of `frexp`; 0 of what is zero or not finite."""
    integers, fraction, bias = _BITS[x.dtype.name]
    small = x.abs() < 2.0 ** (1 - bias)
    bits = _C.where(small, x * 2.0**fraction, x).view(integers)
    exponent = (bits >> fraction & 2 * bias + 1) - _C.where(small, bias - 1 + fraction, bias - 1)
    return _C.where((x == 0) | ~x.isfinite(), 0, exponent).to(_C.int32)


@_with_out
@_takes("input")
def frexp(input):
    """A fraction from 1/2 to 1 and a power of two whose product is the number.

    >>> torch.frexp(torch.tensor([3.0, 0.25]))
    """
    if not input.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")

    def parts():
        wide = input.detach().float() if input.dtype.itemsize == 2 else input.detach()
        exponent = _exponent(wide)
        scale = _shifted(_C.full(wide.shape, 1.0, wide.dtype, False), -exponent)
        return _shifted(wide, -exponent).to(input.dtype), exponent, scale.to(input.dtype)

    mantissa, exponent, scale = _C.quietly(parts)
    mantissa = _C.custom("FrexpBackward0", lambda gradient: (gradient * scale,), [input], mantissa)
    return _Named("frexp", ("mantissa", "exponent"), (mantissa, exponent))


@_with_out
@_takes("input", "other")
def ldexp(input, other):
    """The number times two to the power of the other.

    >>> torch.ldexp(torch.tensor([1.0, 3.0]), torch.tensor([2, -1]))
    """

    def compose(input, other):
        x = _floating(input)
        if other.dtype.is_floating_point:
            return x * 2.0 ** other
        if x.dtype.itemsize == 2:
            return _shifted(x.float(), other).to(x.dtype)
        return _shifted(x, other)

    return _named("LdexpBackward0", compose, input, other)


@_with_out
@_takes("input", "other")
def nextafter(input, other):
    """The number that comes after the first on the way to the other.

    >>> torch.nextafter(torch.tensor([1.0]), torch.tensor([2.0])) > 1
    """
    dtype = _meet(input, other)
    if not dtype.is_floating_point:
        _refuse("nextafter", input)

    def step():
        a, b = _torch.broadcast_tensors(input.detach().to(dtype), other.detach().to(dtype))
        integers = _BITS[dtype.name][0]
        tiny = _C.full((), 1, integers, False).view(dtype)
        bits = a.view(integers) + _C.where((a > 0) == (b > a), 1, -1).to(integers)
        result = _C.where(a == 0, _C.where(b < 0, -tiny, tiny), bits.view(dtype))
        return _C.where(a == b, b, _C.where(a.isnan() | b.isnan(), a + b, result))

    def rule(gradient):
        return _C.where(input == other, 0.0, gradient), gradient * 0

    return _C.custom("NextafterBackward0", rule, [input, other], _C.quietly(step))


@_with_out
@_takes("input", "values")
def heaviside(input, values):
    """0 left of zero, 1 right of it, and at zero what `values` says.

    >>> torch.heaviside(torch.tensor([-1.5, 0.0, 2.0]), torch.tensor([0.5]))
    """
    if input.dtype is not values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    result = _C.where(input == 0, values.detach(), (input > 0).to(input.dtype))
    return _not_implemented("heaviside", result, input, values)


# Of floats


@_with_out
@_takes("input", "other")
def logaddexp2(input, other):
    """The logarithm to base 2 of the sum of powers of 2, without an overflow.

    >>> torch.logaddexp2(torch.tensor([1000.0]), torch.tensor([1000.0]))
    """
    dtype = _meet(input, other)
    if not dtype.is_floating_point:
        _refuse("logaddexp2", input)

    def value(a, b):
        most = _C.maximum(a, b)
        result = most + (-(a - b).abs()).exp2().log1p() * (1 / math.log(2))
        return _C.where((a == b) & a.isinf(), a, result)

    def rule(gradient):
        return gradient / (1 + (other - input).exp2()), gradient / (1 + (input - other).exp2())

    return _ruled("Logaddexp2Backward0", value, rule, input, other)


@_with_out
def float_power(input, exponent):
    """A power, computed in float64.

    >>> torch.float_power(torch.tensor([1, 2, 3]), 2)
    """
    one = input if isinstance(input, TensorBase) else exponent
    if not isinstance(one, TensorBase):
        raise TypeError(
            "float_power() received an invalid combination of arguments - got "
            f"({type(input).__name__}, {type(exponent).__name__}), but expected a tensor"
        )
    dtype = _widest_float(one.device)
    base, power = [
        x.to(dtype) if isinstance(x, TensorBase) else float(x) for x in (input, exponent)
    ]
    return base ** power


@_takes("input")
def rsub(input, other, *, alpha=1):
    """The other minus `alpha` times the first.

    >>> torch.rsub(torch.tensor([1.0, 2.0]), 10)
    """
    if not isinstance(other, TensorBase):
        return _named("RsubBackward1", lambda x: other - (x if alpha == 1 else alpha * x), input)
    return _named("RsubBackward0", lambda x, y: _C.sub(y, x, alpha=alpha), input, other)


@_takes("input")
def angle(input):
    """The angle of a number in the complex plane: π of negative ones, else 0.

    >>> torch.angle(torch.tensor([2.0, -1.0]))
    """
    x = _floating(input)

    def value(x):
        return _C.where(x.isnan(), x, _C.where(x < 0, math.pi, 0.0).to(x.dtype))

    return _ruled("AngleBackward0", value, lambda gradient: (gradient * 0,), x)


angle = _with_out(angle, casts=True)


@_with_out
def hash_tensor(input, dim=None, *, keepdim=False, mode=0):
    """The exclusive or of the bits of all elements, as 64 bits.

    >>> torch.hash_tensor(torch.tensor([1, 2, 3]))
    """
    if dim is None and input.numel() == 0:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify "
            "the reduction dim with the 'dim' argument."
        )
    dims = [dim] if isinstance(dim, int) else list(dim or range(input.ndim))
    dims = [d % max(input.ndim, 1) for d in dims][:input.ndim]

    def folded():
        bits = input.double().view(_C.int64) if input.dtype.is_floating_point else input.long()
        kept = [d for d in range(input.ndim) if d not in dims]
        shape = [input.shape[d] for d in kept]
        bits = bits.permute(*kept, *dims).reshape(*shape, -1)
        while bits.shape[-1] != 1:
            n = bits.shape[-1]
            half = bits[..., :n // 2]
            half = half ^ bits[..., n - n // 2:] if n else bits.sum(-1, True)
            bits = _C.cat([half, bits[..., n // 2:n - n // 2]], -1) if n % 2 else half
        if keepdim:
            return bits.reshape([1 if d in dims else n for d, n in enumerate(input.shape)])
        return bits.reshape(shape)

    return _C.quietly(folded).view(_C.uint64)
