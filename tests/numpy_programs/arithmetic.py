"""Arithmetic, comparison and functions of each element."""
import numpy as np


def attempt(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, "|", e)


a, b = np.array([1, 2, 3]), np.array([[0.5], [2.0]])
print(a + b, a - b, a * b, a / b, a // b, a % b, a**2, 2**a, a**b, -a, +a, abs(-a), a @ a, divmod(a, 2))
print(a + 1, 1 + a, a - 1.5, 1 - a, a / 2, 2 / a, 7 // a, 7 % a, a // 2, a % 2, a + True, a * [1, 2, 3], [1, 2, 3] + a, (1, 2, 3) * a)
print(a == 2, a != [1, 2, 4], a < 2, a >= b, 2 < a, ~(a > 1), (a > 1) & (a < 3), (a > 1) | (a == 1), (a > 1) ^ True, a & 1, a | 4, a ^ 1, a << 2, a >> 1, ~a)
c = np.array([-7, 7, -7, 7])
d = np.array([2, 2, -2, -2])
print(c // d, c % d, np.fmod(c, d), np.remainder(c, d), c / d, np.trunc(c / d), np.divmod(c, d), c.astype(float) // d, c.astype(float) % d, np.floor_divide(c, 0), np.mod(c, 0), np.array([0, 1]) // np.array([0, 2]))
e = np.arange(4.0)
e += 1
e *= [1, 2, 3, 4]
e -= 0.5
e /= 2
e **= 2
e //= 1
e %= 5
f = np.arange(3)
f += 2
f *= 3
f <<= 1
f //= 5
f ^= 1
print(e, f, f.dtype)
x = np.array([-1.5, -0.5, 0.0, 0.5, 1.5, 2.5])
for name in "exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh square absolute fabs sign floor ceil trunc rint negative positive cbrt deg2rad rad2deg radians degrees isnan isinf isfinite signbit logical_not conj reciprocal".split():
    print(name, getattr(np, name)(x[x != 0] if name == "reciprocal" else x))
y = np.array([0.1, 0.5, 1.0])
for name in "log log2 log10 log1p sqrt arcsin arccos arccosh arctanh".split():
    print(name, getattr(np, name)(1 / y if name == "arccosh" else y * 0.9 if name == "arctanh" else y))
for name in "maximum minimum fmax fmin arctan2 hypot copysign logaddexp logaddexp2 power float_power heaviside fmod remainder floor_divide add subtract multiply divide true_divide greater greater_equal less less_equal equal not_equal logical_and logical_or logical_xor".split():
    print(name, getattr(np, name)(y, [0.3, 0.5, 2.0]), getattr(np, name)(2.0, y))
for name in "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm".split():
    print(name, getattr(np, name)([12, 7, 5], [2, 3, 4]), getattr(np, name)(12, 3))
n = np.array([np.nan, 1, -np.inf, np.inf])
print(np.maximum(n, 0), np.fmax(n, 0), np.isnan(n), np.isinf(n), np.isfinite(n), np.sign(n), n == n, np.nan_to_num(n), np.nan_to_num(n, nan=9, posinf=1, neginf=-1), np.isposinf(n), np.isneginf(n))
with np.errstate(all="ignore"):
    print(np.log([0.0, -1.0]), np.sqrt([-1.0]), np.array([1.0, 0.0]) / 0, np.exp([1000.0]), np.array([0]) / 0, 0.0 / np.array([0.0]))
print(np.exp([1, 2]), np.sqrt(16), np.exp(np.float32(1)).dtype, np.sqrt(np.float32(2)), np.sin(np.array([0, 1], dtype=np.float32)).dtype, np.abs(-3), np.abs([-1, 2]), np.square(3), np.sign(-2.5), np.floor(2.7), np.rint(2.5), np.rint(3.5))
print(np.clip(a, 2, 2), np.clip(x, -1, 1), x.clip(0), x.clip(max=0), np.clip(a, [1, 3, 2], 3), np.clip(5, 0, 3), np.clip(2.5, None, 2), a.clip(min=2))
print(np.round(x), np.round([1.255, 2.345], 2), x.round(), np.round(1234.567, -2), np.around(2.5), np.round([15, 25], -1), round(np.float64(2.675), 2), np.fix(x))
print(np.where(x > 0, x, 0), np.where(x > 0), np.where([True, False], [1, 2], [3.5, 4]), np.where(x > 0, 1, -1).dtype, np.where(True, 1, 2), np.where(x[:, None] > 0, [1, 2], 0).shape)
out = np.zeros(3)
print(np.add(a, 1, out=out) is out, out, np.multiply(a, 2.5, out=out), np.add(a, 1, dtype=float), np.exp(a, dtype=np.float32).dtype, np.add(a, 1, where=[True, False, True], out=np.zeros(3)))
print(np.add.reduce([1, 2, 3]), np.multiply.reduce([[1, 2], [3, 4]], axis=1), np.maximum.reduce([3, 1, 2]), np.add.accumulate([1, 2, 3]), np.maximum.accumulate([1, 3, 2]), np.add.outer([1, 2], [10, 20]), np.subtract.outer([1, 2], [1, 2]), np.add.identity, np.multiply.identity, np.add.nin, np.exp.nin, repr(np.add), np.add.__name__, np.subtract.reduce([10, 2, 3]), np.logical_and.reduce([True, False]), np.minimum.accumulate([[3, 1], [2, 5]], axis=0))
z = np.zeros(4)
np.add.at(z, [0, 0, 3], [1, 2, 5])
np.subtract.at(z, [1], 2)
print(z, np.modf([1.5, -2.25]), np.frexp([8.0, 0.3]), np.ldexp([0.5, 1], [1, 3]), np.vecdot([[1, 2], [3, 4]], [1, 1]))
for f in (
    lambda: a + np.ones(2), lambda: np.array([True]) - np.array([True]), lambda: -np.array([True]), lambda: np.array([2, 3]) ** -1, lambda: np.exp("a"), lambda: np.add(1), lambda: np.exp(a, foo=1), lambda: a.__iadd__(1.5), lambda: a.__itruediv__(2),
    lambda: np.array([1], dtype=np.uint8) + 300, lambda: np.array([1], dtype=np.uint8) * -1, lambda: np.array([1], dtype=np.uint8) < 300, lambda: np.array([200], dtype=np.uint8) + np.uint8(100), lambda: np.array([1.0]) & 1, lambda: ~np.array([1.0]),
    lambda: a == None, lambda: a == "x", lambda: a != None, lambda: a == np.ones(2), lambda: np.add(a, 0.5, out=np.zeros(3, int)), lambda: np.arange(3).dot(np.arange(2)), lambda: a @ 3,
):
    attempt(f)
print(np.True_ + np.True_, np.array([True, False]) + np.array([True, True]), np.array([True, False]) * 2, np.array([True, True]).sum(), np.array([True, False]) & True, np.logical_not([1, 0]), np.invert([True, False]), np.array([True]) + 1, np.array([True]) / 2, True + a)

