"""Scalars: what an element becomes when it leaves its array."""
import math

import numpy as np


def attempt(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, "|", e)


f64, f32, i64, i8, u8, yes = np.float64(7.5), np.float32(0.1), np.int64(7), np.int8(100), np.uint8(250), np.bool_(True)
for f in (
    lambda: f64 + 1, lambda: 1 + f64, lambda: f64 * f64, lambda: f64 / 2, lambda: 2 / f64, lambda: f64 // 2, lambda: 20 // f64, lambda: f64 % 2, lambda: 20 % f64, lambda: f64**2, lambda: 4**f64, lambda: -f64, lambda: abs(-f64), lambda: divmod(f64, 2), lambda: divmod(20, f64),
    lambda: f32 + 1, lambda: f32 * 3, lambda: 1 / f32, lambda: f32 + f64, lambda: f32 + 1.5, lambda: f32 + i64, lambda: f32 + i8, lambda: f32 / 3, lambda: f32**2, lambda: f32 == 0.1, lambda: f32 < 0.2, lambda: float(f32), lambda: f32.item(), lambda: str(f32),
    lambda: i64 + 1, lambda: 1 - i64, lambda: i64 / 2, lambda: i64 // 2, lambda: i64 % 4, lambda: i64**2, lambda: 2**i64, lambda: i64 * 1.5, lambda: i64 & 3, lambda: i64 | 8, lambda: i64 ^ 1, lambda: i64 << 1, lambda: i64 >> 1, lambda: ~i64, lambda: -i64, lambda: i64 == 7, lambda: i64 + True,
    lambda: i8 + 1, lambda: i8 + i64, lambda: i8 + u8, lambda: u8 - np.uint8(240), lambda: i8 * np.int8(1), lambda: i8 / i8, lambda: i8 + 1.5, lambda: u8 + 300, lambda: i64 ** -1,
    lambda: yes + 1, lambda: yes + yes, lambda: yes & False, lambda: ~yes, lambda: not yes, lambda: yes == True, lambda: yes * 2.5, lambda: int(yes), lambda: float(yes), lambda: yes is np.True_, lambda: yes - yes, lambda: -yes, lambda: yes or 3,
    lambda: round(f64), lambda: round(np.float64(2.567), 1), lambda: round(f32, 2), lambda: round(i64), lambda: int(f64), lambda: math.sqrt(np.float64(16)), lambda: math.floor(f64), lambda: np.floor(f64), lambda: f64.is_integer(), lambda: i64.bit_count(), lambda: f64.as_integer_ratio(),
    lambda: [1, 2, 3][np.int64(1)], lambda: list(range(np.int64(3))), lambda: "ab" * np.int64(2), lambda: f"{f64:.3f} {f32:.2f} {i64:03d} {f64} {f32} {i64} {yes}", lambda: "%d %.1f %s" % (i64, f64, f32), lambda: hash(np.float64(0.5)) == hash(0.5), lambda: {1: "a"}[np.int64(1)], lambda: np.float64(1.0) in [1.0, 2.0], lambda: {np.float64(1), 1.0, 1},
    lambda: f64.shape, lambda: f64.ndim, lambda: f64.size, lambda: f64.dtype, lambda: f64.T, lambda: f64.astype(int), lambda: f64.sum(), lambda: f64.mean(), lambda: f64.max(), lambda: f64.reshape(1), lambda: f64.tolist(), lambda: f64.copy(), lambda: f64.nbytes, lambda: f64[()], lambda: f64[None], lambda: f64[...], lambda: f64.clip(0, 5), lambda: f64.round(), lambda: np.float64(2.345).round(1), lambda: f64[0], lambda: f64.foo, lambda: f64.real,
    lambda: max(np.float64(1), 2), lambda: min(np.int64(3), 2), lambda: sum([np.float64(1), 2]), lambda: sorted([np.float64(2), 1, np.int64(0)]), lambda: any([np.False_, np.True_]), lambda: isinstance(f64, float), lambda: isinstance(f64, np.floating), lambda: isinstance(i64, np.integer), lambda: isinstance(i8, np.generic), lambda: isinstance(yes, np.bool_), lambda: type(f64), lambda: np.isscalar(f64), lambda: type(f64 + 1) is np.float64,
    lambda: np.float64(1) + np.array([1, 2]), lambda: np.array([1, 2]) * np.float32(2), lambda: np.float64(3) > np.array([1, 5]), lambda: np.float64("nan"), lambda: np.float64("inf") - np.float64("inf"), lambda: np.float64(1) == None, lambda: np.float64(1.5) @ 2 if False else 0,
    lambda: np.float64(3) // 0, lambda: np.float64(1) / 0, lambda: np.float64(0) / 0, lambda: np.int64(1) / 0, lambda: np.int64(1) // 0, lambda: np.int64(5) % 0, lambda: np.float64(-8) ** (1 / 3), lambda: np.float64(10) ** 400, lambda: np.int64(2) ** 63, lambda: np.int64(2**62) * 4, lambda: np.float32(3e38) * 10,
    lambda: np.float64(), lambda: np.int32(), lambda: np.bool_(), lambda: np.float16(0.1), lambda: np.float16(70000), lambda: np.float32(1e-46), lambda: np.float64(np.float32(0.1)), lambda: np.int64(np.float64(2.9)), lambda: np.float64(True), lambda: np.dtype(f32.dtype), lambda: np.float32(16777217), lambda: np.float32(1) / np.float32(3), lambda: np.float64(1) / np.float32(3), lambda: np.array([1, 2.5])[0], lambda: np.mean([1, 2, 4]), lambda: np.array([0.1, 0.2]).sum(), lambda: np.float64(1e16), lambda: np.float64(1e-5), lambda: np.float64(123456789.0), lambda: np.float64(0.1) + 0.2,
):
    attempt(f)
total = 0
for x in np.array([0.1, 0.2, 0.3]):
    total += x
print(total, type(total).__name__, repr(total), total == 0.6, abs(total - 0.6) < 1e-9)
if np.float64(0) or np.int64(0) or np.bool_(False):
    print("never")
best = min((np.float64(3.0), "c"), (np.float64(1.0), "a"))
print(best, np.array([0.5]) if np.array([True]) else 0, bool(np.array(0)), -np.array(3), np.array(3) + 1, float(np.array(2.5)), int(np.array(2)), f"{np.array(2.5):.2f}", complex if False else "")
