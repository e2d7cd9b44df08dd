"""Integers divided by zero, and numbers that a dtype does not hold."""

import torch
import torch.nn.functional as F


def attempt(name, call):
    try:
        result = call()
        print(name, result.tolist(), result.dtype)
    except Exception as error:
        print(name, type(error).__name__, "ZeroDivisionError" in str(error), "without overflow" in str(error))


x = torch.tensor([7, -7, 5])
zero = torch.tensor([2, 0, 1])
attempt("//", lambda: x // zero)
attempt("// 0", lambda: x // 0)
attempt("%", lambda: x % zero)
attempt("% 0", lambda: x % 0)
attempt("fmod", lambda: torch.fmod(x, zero))
attempt("remainder", lambda: torch.remainder(x, 0))
attempt("floor", lambda: torch.div(x, zero, rounding_mode="floor"))
attempt("trunc", lambda: torch.div(x, 0, rounding_mode="trunc"))
attempt("1 //", lambda: 1 // zero)
attempt("1 %", lambda: 1 % zero)
attempt("in place", lambda: x.clone().floor_divide_(zero))
attempt("in place %", lambda: x.clone().remainder_(0))
attempt("bool", lambda: torch.tensor([True]) % 0)
attempt("a wrapped divisor", lambda: torch.tensor([1], dtype=torch.int8) // 256)
attempt("nothing", lambda: x[:0] // 0)
attempt("a float", lambda: x // 0.0)
attempt("floats", lambda: x.double() % 0)
attempt("true", lambda: x / 0)

small = torch.tensor([1, 0], dtype=torch.int8)
mask, index = torch.tensor([True, False]), torch.tensor([0])
for number in [127, 128, -129, 1.5, -1.0]:
    print(number)
    attempt("  full", lambda: torch.full((1,), number, dtype=torch.int8))
    attempt("  full_like", lambda: torch.full_like(small, number))
    attempt("  fill_", lambda: small.clone().fill_(number))
    attempt("  masked_fill", lambda: small.masked_fill(mask, number))
    attempt("  where", lambda: torch.where(mask, small, number))
    attempt("  scatter", lambda: small.scatter(0, index, number))
    attempt("  index_fill", lambda: small.index_fill(0, index, number))
    attempt("  clamp min", lambda: small.clamp(min=number))
    attempt("  clamp max", lambda: small.clamp(max=number))
    attempt("  pad", lambda: F.pad(small, (1, 0), value=number))
    attempt("  add", lambda: small + number)
    attempt("  mul", lambda: small * number)
attempt("alpha", lambda: torch.add(small, small, alpha=300))
attempt("power", lambda: small**300)
attempt("threshold", lambda: F.threshold(small, 0, 300))
byte = torch.tensor([1, 0], dtype=torch.uint8)
attempt("wraps", lambda: byte.masked_fill(mask, -1))
attempt("does not", lambda: byte.masked_fill(mask, -256))
attempt("half", lambda: torch.tensor([1.0], dtype=torch.float16).masked_fill(torch.tensor([True]), 1e6))
attempt("float", lambda: torch.full((1,), 1e39))


def write(number):
    y = small.clone()
    y[0] = number
    return y


attempt("setitem", lambda: write(300))
attempt("setitem", lambda: write(100))
