# Calls of math, compared with CPython.
# What `math` answers, compared with CPython (make.sh).
import math
print(math.pi, math.e, math.tau, math.inf, math.nan)
print(math.floor(-1.5), math.ceil(1.2), math.trunc(-1.9), math.floor(10**30), math.floor(1e20))
print(math.gcd(12, 18, 27), math.lcm(4, 6), math.gcd(), math.isqrt(10**20 + 1), math.factorial(25))
print(math.comb(50, 25), math.perm(10, 3), math.perm(5), math.comb(3, 5))
print(math.log(100, 10), math.log2(8), math.log10(1000), math.log(10**400), math.log2(2**1000))
print(math.fsum([0.1] * 10), math.fsum([1e100, 1.0, -1e100]), math.prod([1, 2, 3], start=2.0))
print(math.hypot(3, 4), math.dist([0, 0], [3, 4]), math.hypot(1e200, 1e200) > 1e200)
print(math.isclose(0.1 + 0.2, 0.3), math.isclose(1, 1.1, rel_tol=0.2), math.isclose(0, 1e-12, abs_tol=1e-9))
print(math.isnan(math.nan), math.isinf(-math.inf), math.isfinite(1), math.copysign(1, -0.0))
print(math.frexp(8.5), math.ldexp(0.53125, 4), math.modf(-1.25), math.fmod(-7, 3), math.remainder(7, 4))
print(math.degrees(math.pi), math.radians(180), math.atan2(-0.0, -1))
print(math.sqrt(2), math.sqrt(1e300), round(math.cbrt(27), 12), math.pow(2, 0.5))
print(math.ulp(1.0), math.nextafter(1, 2))
for f in (math.exp, math.expm1, math.log1p, math.sin, math.cos, math.tan, math.sinh, math.cosh, math.tanh, math.asinh, math.atan, math.erf, math.erfc, math.gamma, math.lgamma):
    print(f.__name__, f"{f(0.7):.12f}", f"{f(3.3):.9f}")
