"""Casts between all dtypes, whole numbers that wrap around, and arithmetic in half precision.

Casts stay inside what the target can hold (and its edges), or wrap between whole numbers; a float
outside an integer's range is undefined in PyTorch, and so is absent. Ops that PyTorch's CPU has no
kernel for are absent too. A half-precision result is the exact decimal of the rounded value.
"""

import torch
import torch.nn.functional as F

from .record import (
    ALL_DTYPES,
    BF16,
    BOOL,
    DTYPES,
    F16,
    FLOATS,
    I8,
    I16,
    I32,
    I64,
    INF,
    NAN,
    U8,
    U16,
    U32,
    U64,
    Samples,
    Scalar,
    Tensor,
    case,
    possible,
    vector,
)

BITS = {U8: 8, U16: 16, U32: 32, U64: 64, I8: 8, I16: 16, I32: 32, I64: 64}
INTEGERS = [U8, U16, U32, U64, I8, I16, I32, I64]


def limits(dtype):
    """The least and the greatest whole number of an integer dtype."""
    bits = BITS[dtype]
    return (0, 2**bits - 1) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def cast_values(source, target):
    """Numbers worth casting, that have one meaning in the target."""
    if source == BOOL:
        return [True, False]
    if source in INTEGERS:
        low, high = limits(source)
        # From 64 bits to a float of fewer, round to even.
        near_tie = [2**24 + 1, 2**24 + 3, 2049, 2051, 257, 259, 65519, 65520]
        values = [low, high, low + 1, high - 1, 0, 1, 100, 200, 70000, 3000000000, *near_tie]
        return sorted({value for value in values if low <= value <= high})
    values = [0.0, -0.0, 1.0, 0.5, 1.9, 100.7, 0.1]
    if target == BOOL:
        return [*values, NAN, INF, -INF, -2.5, 1e-5]
    if target in FLOATS:
        halves = [65504.0, 65519.0, 65520.0, 1e-7, 5.9604645e-08, 2.9e-8, 6.1e-5, 1.00048828125, 1.00390625]
        return [*values, -1.9, NAN, INF, -INF, 1e30, -1e30, 1e-30, 3.38953e38, *halves]
    low, high = limits(target)
    exact = {8: 100.0, 16: 30000.0, 32: 2147483520.0, 64: 9.2e18}[BITS[target]]
    if source in (F16, BF16):
        exact = min(exact, 65504.0 if source == F16 else 1e18)
        exact = exact if exact in (100.0, 30000.0, 65504.0) else 1024.0
    return [*values, exact] + ([-1.0, -1.9, -100.7, -exact] if low < 0 else [])


def casts():
    to = lambda x, dtype: x.to(DTYPES[dtype])
    for source in ALL_DTYPES:
        for target in ALL_DTYPES:
            values = vector(cast_values(source, target), source)
            yield case("to", to, [values], {"dtype": target}, f"{source} to {target}")


def whole_numbers():
    add = {"add": torch.add, "sub": torch.sub, "mul": torch.mul}
    divisions = {"floor_divide": torch.floor_divide, "remainder": torch.remainder, "fmod": torch.fmod}
    bits = {
        "bitwise_and": torch.bitwise_and,
        "bitwise_or": torch.bitwise_or,
        "bitwise_xor": torch.bitwise_xor,
    }
    order = {
        "eq": torch.eq,
        "lt": torch.lt,
        "ge": torch.ge,
        "maximum": torch.maximum,
        "minimum": torch.minimum,
    }
    shifts = {
        "bitwise_left_shift": torch.bitwise_left_shift,
        "bitwise_right_shift": torch.bitwise_right_shift,
    }
    for dtype in INTEGERS:
        low, high = limits(dtype)
        signed = low < 0
        small = [7, -7, 7, -7, 6, 0] if signed else [7, 8, 9, 250, 6, 0]
        by = [3, 3, -3, -3, 3, -5] if signed else [3, 8, 2, 7, 4, 5]
        edge = [low, high, high, low + 1, low, high]
        other = [1, 1, high, 2, high, low]

        def tried(op, function, x, y, note, dtype=dtype):
            inputs = [vector(x, dtype), vector(y, dtype) if isinstance(y, list) else Scalar(y)]
            return possible(lambda: case(op, function, inputs, note=f"{dtype}{note}"))

        for op, function in {**add, **order, **bits}.items():
            yield tried(op, function, small, by, "")
            yield tried(op, function, edge, other, ", wraps around" if op in add else ", at the limits")
        for op, function in divisions.items():
            yield tried(op, function, small, by, "")
            yield tried(op, function, [low + 1, high, high], [2, 2, 7], ", at the limits")
            yield tried(op, function, small, 4, " by a number")
        for op, function in shifts.items():
            width = BITS[dtype]
            yield tried(op, function, [1, 1, high, low, 5], [0, width - 1, 1, 1, 2], "")
            yield tried(op, function, [1, high, low, 5], [width, width, width, width + 1], ", shifted out")
        yield tried("div", torch.div, small, by, "")
        yield tried("pow", torch.pow, [2, 3, 7, high], [3, 0, 2, 2], "")
        x = vector([high, 1, 2, low, 5, 3], dtype)
        unary = {
            "neg": torch.neg,
            "abs": torch.abs,
            "sign": torch.sign,
            "square": torch.square,
            "bitwise_not": torch.bitwise_not,
            "logical_not": torch.logical_not,
            "sum": torch.sum,
            "prod": torch.prod,
            "max": torch.max,
            "min": torch.min,
            "argmax": torch.argmax,
            "any": torch.any,
            "sqrt": torch.sqrt,
        }
        for op, function in unary.items():
            if op == "sqrt":
                x = vector([0, 1, 4, 100, 2], dtype)
            yield possible(lambda: case(op, function, [x], note=dtype))
        yield possible(lambda: case("cumsum", torch.cumsum, [x], {"dim": 0}, note=dtype))
        pair = [Tensor(dtype, [2, 2], [1, 2, 3, 4]), Tensor(dtype, [2, 2], [high, 0, 1, 2])]
        yield possible(lambda: case("matmul", torch.matmul, pair, note=f"{dtype}, wraps around"))


HALF_UNARY = {
    "neg": torch.neg,
    "abs": torch.abs,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "square": torch.square,
    "sin": torch.sin,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "gelu": F.gelu,
    "silu": F.silu,
    "softplus": F.softplus,
    "erf": torch.erf,
    "floor": torch.floor,
    "round": torch.round,
}
HALF_BINARY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "pow": torch.pow,
    "maximum": torch.maximum,
    "atan2": torch.atan2,
    "remainder": torch.remainder,
    "floor_divide": torch.floor_divide,
    "lt": torch.lt,
}


def half():
    for dtype in [F16, BF16]:
        s = Samples(f"half {dtype}")
        make = lambda *shape, **more: s.tensor(*shape, dtype=dtype, **more)
        edges = [NAN, INF, -INF, 0.0, -0.0, 1e-7, 65504.0, -2.5, 300.0]
        for op, function in HALF_UNARY.items():
            low = {"low": 0.05} if op in ("log", "sqrt", "rsqrt") else {}
            yield case(op, function, [make(2, 5, **low)], note=dtype)
            yield case(op, function, [vector(edges, dtype, requires_grad=False)], note=f"{dtype}, edges")
        for op, function in HALF_BINARY.items():
            low = {"low": 0.1, "high": 4.0} if op == "pow" else {}
            differentiable = {"requires_grad": op != "floor_divide"}
            pair = [make(2, 4, **low, **differentiable), make(4, low=0.5, **differentiable)]
            yield case(op, function, pair, note=dtype)
            if op not in ("lt", "maximum", "atan2"):
                plain = make(5, low=0.5, requires_grad=False)
                yield case(op, function, [plain, Scalar(1.1)], note=f"{dtype} with a number")
        over = [vector([65504.0, 1.0, 2048.0, 256.0], dtype), vector([65504.0, 0.0001, 1.0, 1.0], dtype)]
        yield case("add", torch.add, over, note=f"{dtype}, overflow and lost digits")
        for note, x, attrs in [
            ("", make(4, 6), {}),
            (", rows", make(4, 6), {"dim": 0}),
            (", last", make(3, 8), {"dim": 1}),
            (", small onto large", vector([2048.0] + [1.0] * 15, dtype), {}),
            (", overflow", vector([65504.0, 65504.0, -65504.0], dtype), {}),
        ]:
            yield case("sum", torch.sum, [x], attrs, f"{dtype}{note}")
            yield case("mean", torch.mean, [x], attrs, f"{dtype}{note}")
        yield case("prod", torch.prod, [make(5)], note=dtype)
        yield case("amax", torch.amax, [make(3, 4)], {"dim": 1}, dtype)
        yield case("var", torch.var, [make(3, 4)], {"dim": 1}, dtype)
        yield case("cumsum", torch.cumsum, [make(3, 4)], {"dim": 1}, dtype)
        yield case("argmax", torch.argmax, [make(3, 4, requires_grad=False)], {"dim": 1}, dtype)
        for op, function in {"softmax": torch.softmax, "log_softmax": torch.log_softmax}.items():
            yield case(op, function, [make(3, 5)], {"dim": 1}, dtype)
        yield case("logsumexp", torch.logsumexp, [make(3, 5)], {"dim": 1}, dtype)
        yield case("matmul", torch.matmul, [make(3, 4), make(4, 2)], note=dtype)
        yield case("matmul", torch.matmul, [make(2, 2, 3), make(3, 2)], note=f"{dtype}, batch")
        yield case("linear", F.linear, [make(3, 4), make(2, 4), make(2)], note=dtype)
        yield case("layer_norm", norm, [make(2, 6), make(6), make(6)], {"normalized_shape": [6]}, dtype)
        target = Tensor(I64, [3], [0, 2, 1])
        yield case("cross_entropy", F.cross_entropy, [make(3, 4), target], note=dtype)
        yield case("mse_loss", F.mse_loss, [make(4), make(4)], note=dtype)
        index = Tensor(I64, [3], [2, 0, 2])
        pick = lambda x, index, dim: torch.index_select(x, dim, index)
        yield case("index_select", pick, [make(3, 2), index], {"dim": 0}, dtype)
        cat = lambda *tensors, dim: torch.cat(tensors, dim)
        yield case("cat", cat, [make(2), s.tensor(2)], {"dim": 0}, f"{dtype} with float32")
        mask = Tensor(BOOL, [2, 2], [True, False, False, True])
        yield case("where", torch.where, [mask, make(2, 2), make(2)], note=dtype)
        yield case("clamp", torch.clamp, [make(6)], {"min": -1.1, "max": 1.1}, dtype)


def norm(x, weight, bias, normalized_shape):
    return F.layer_norm(x, normalized_shape, weight, bias)


def made():
    """`whole_numbers` without what PyTorch has no kernel for."""
    return (row for row in whole_numbers() if row)


FAMILIES = {"dtypes": [made, half], "casts": [casts]}
