"""Elementwise ops of two and three numbers beyond the first floor: the divisions and remainders,
extremes, interpolation, comparison within a tolerance, bits and shifts.
"""

import torch

from .record import BOOL, F64, I8, I16, I32, I64, INF, NAN, U8, Samples, Scalar, Tensor, case, rows, vector

WHOLE = {
    "floor_divide": torch.floor_divide,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
}
PLAIN = {
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "atan2": torch.atan2,
    "hypot": torch.hypot,
    "copysign": torch.copysign,
    "xlogy": torch.xlogy,
    "logaddexp": torch.logaddexp,
}
EDGES = [NAN, INF, -INF, 0.0, -0.0, 1.0, -2.0, 0.5]
# Both numbers at once infinite or zero: PyTorch's vector and plain kernels agree on these.
DIVISORS = [NAN, INF, -INF, 0.0, 1.5, -1.5]


def pairs(left, right):
    return [a for a in left for _ in right], [b for _ in left for b in right]


def binary():
    for op, function in {**WHOLE, **PLAIN}.items():
        s = Samples(op)
        positive = {"low": 0.2, "high": 4.0} if op in ("xlogy", "hypot") else {}
        left = lambda *shape, **more: s.tensor(*shape, **more)
        right = lambda *shape, **more: s.tensor(*shape, **{**positive, **more})
        a, b = pairs(EDGES, DIVISORS if op in WHOLE else EDGES)
        yield from rows(
            op,
            function,
            [
                ("same shape", [left(2, 3), right(2, 3)]),
                ("float64", [left(2, 2, dtype=F64), right(2, 2, dtype=F64)]),
                ("float64, broadcast", [left(2, 1, dtype=F64), right(3, dtype=F64)]),
                ("row over matrix", [left(3, 4), right(4)]),
                ("column by row", [left(3, 1), right(1, 4)]),
                ("0-d with matrix", [left(), right(2, 2)]),
                ("0-d both", [left(), right()]),
                ("empty", [left(0, 3), right(3)]),
                ("sliced with transposed", [left(4, 3, layout="sliced"), right(4, 3, layout="transposed")]),
                ("longer than a SIMD vector", [left(19), right(19)]),
                ("edges", [vector(a), vector(b)]),
                ("edges, float64", [vector(a, F64), vector(b, F64)]),
                # PyTorch squares atan2's float32 in float32 even where the gradient is float64.
                (
                    "float32 with float64",
                    [left(3, requires_grad=op != "atan2"), right(3, dtype=F64, requires_grad=op != "atan2")],
                ),
                ("int64 with float32", [s.tensor(2, 3, dtype=I64, low=1), right(2, 3)]),
            ],
        )
        if op in (*WHOLE, "fmax", "fmin", "atan2", "copysign", "xlogy"):
            signed = [7, -7, 7, -7, 6, -6, 0]
            yield case(
                op, function, [vector(signed, I64), vector([3, 3, -3, -3, 3, -3, 5], I64)], note="int64"
            )
            yield case(op, function, [vector([7, 200, 0], U8), vector([3, 7, 1], U8)], note="uint8")
        if op in (*WHOLE, "xlogy", "copysign"):
            yield case(op, function, [left(2, 2), Scalar(1.5)], note="float scalar")
            yield case(op, function, [vector(signed, I64), Scalar(3)], note="int64 by int scalar")
            yield case(op, function, [vector([7, -7, 0], I64), Scalar(2.5)], note="int64 by float scalar")
        if op in ("remainder", "xlogy"):
            # PyTorch has no derivative of a number's remainder by a tensor.
            second = right(2, 2, requires_grad=op == "xlogy")
            yield case(op, function, [Scalar(5.5), second], note="float scalar first")


def rounded_division():
    for mode in ["floor", "trunc"]:
        s = Samples(f"div {mode}")
        a, b = pairs(EDGES, DIVISORS)
        yield from rows(
            "div",
            torch.div,
            [
                (f"{mode}, same shape", [s.tensor(2, 3), s.tensor(2, 3, low=0.5)]),
                (f"{mode}, float64", [s.tensor(3, dtype=F64), s.tensor(3, dtype=F64)]),
                (f"{mode}, column by row", [s.tensor(3, 1), s.tensor(2)]),
                (f"{mode}, 0-d", [s.tensor(), s.tensor()]),
                (f"{mode}, empty", [s.tensor(0), s.tensor(1)]),
                (f"{mode}, transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(2)]),
                (f"{mode}, edges", [vector(a), vector(b)]),
                (f"{mode}, int64", [vector([7, -7, 7, -7, 6, 0], I64), vector([2, 2, -2, -2, 3, 4], I64)]),
                (f"{mode}, int8", [vector([127, -128, 5], I8), vector([-2, 3, -3], I8)]),
                (f"{mode}, int64 by float scalar", [vector([7, -7], I64), Scalar(2.0)]),
                (f"{mode}, float by int scalar", [vector([7.5, -7.5]), Scalar(2)]),
            ],
            {"rounding_mode": mode},
        )


def three():
    s = Samples("lerp")
    lerp = lambda start, end, weight: torch.lerp(start, end, weight)
    yield from rows(
        "lerp",
        lerp,
        [
            ("tensors", [s.tensor(2, 3), s.tensor(2, 3), s.tensor(2, 3, low=0.0, high=1.0)]),
            ("number", [s.tensor(2, 3), s.tensor(2, 3), Scalar(0.25)]),
            ("number beyond a half", [s.tensor(4), s.tensor(4), Scalar(0.75)]),
            ("float64", [s.tensor(3, dtype=F64), s.tensor(3, dtype=F64), s.tensor(3, dtype=F64)]),
            ("broadcast", [s.tensor(2, 1), s.tensor(3), s.tensor(2, 1, 1)]),
            ("0-d", [s.tensor(), s.tensor(), s.tensor()]),
            ("0-d weight", [s.tensor(3), s.tensor(3), s.tensor()]),
            ("empty", [s.tensor(0, 2), s.tensor(2), Scalar(0.5)]),
            ("transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(3, 2), s.tensor(2)]),
            ("edges", [vector([NAN, INF, 0.0, 1.0, 1.0]), vector([1.0, 2.0, INF, NAN, -1.0]), Scalar(0.5)]),
        ],
    )
    for op, function in {"addcmul": torch.addcmul, "addcdiv": torch.addcdiv}.items():
        s = Samples(op)
        last = lambda *shape, **more: s.tensor(*shape, low=0.5, **more)
        table = [
            ("default value", [s.tensor(2, 3), s.tensor(2, 3), last(2, 3)]),
            ("value", [s.tensor(2, 3), s.tensor(2, 3), last(2, 3)], {"value": -0.5}),
            ("int value", [s.tensor(3), s.tensor(3), last(3)], {"value": 2}),
            ("float64", [s.tensor(3, dtype=F64), s.tensor(3, dtype=F64), last(3, dtype=F64)], {"value": 1.5}),
            ("broadcast", [s.tensor(3), s.tensor(2, 1), last(2, 3)], {"value": 3.0}),
            ("broadcast against the first", [s.tensor(2, 3), s.tensor(3), last(1)], {"value": 1.0}),
            ("0-d", [s.tensor(), s.tensor(), last()]),
            ("empty", [s.tensor(0, 2), s.tensor(2), last(2)]),
            ("transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(3, 2), last(2)]),
            (
                "edges",
                [vector([NAN, INF, 0.0, 1.0]), vector([1.0, 2.0, INF, 0.0]), vector([1.0, 1.0, 2.0, 0.0])],
            ),
        ]
        if op == "addcmul":
            table += [
                (
                    "int64",
                    [s.tensor(3, dtype=I64), s.tensor(3, dtype=I64), s.tensor(3, dtype=I64)],
                    {"value": 2},
                )
            ]
        yield from rows(op, function, table)


def clamped():
    s = Samples("clamp by tensors")
    low = lambda *shape, **more: s.tensor(*shape, low=-2.0, high=0.0, **more)
    high = lambda *shape, **more: s.tensor(*shape, low=0.0, high=2.0, **more)
    for note, inputs, *names in [
        ("tensors", [s.tensor(2, 3), low(2, 3), high(2, 3)]),
        ("tensors, broadcast", [s.tensor(3), low(2, 1), high(1)]),
        ("tensors, float64", [s.tensor(4, dtype=F64), low(4, dtype=F64), high(4, dtype=F64)]),
        ("min tensor", [s.tensor(4), low(4)], ["input", "min"]),
        ("max tensor", [s.tensor(4), high(4)], ["input", "max"]),
        ("tensors, 0-d", [s.tensor(), low(), high()]),
        ("tensors, empty", [s.tensor(0), low(1), high(1)]),
        ("tensors, transposed", [s.tensor(3, 2, layout="transposed"), low(2), high(2)]),
        (
            "tensors, at the bounds",
            [vector([1.0, 2.0, 3.0, NAN]), vector([1.0] * 4), vector([3.0, 2.0, 3.0, 3.0])],
        ),
        ("tensors, int64", [s.tensor(4, dtype=I64), vector([-1] * 4, I64), vector([2] * 4, I64)]),
    ]:
        yield case("clamp", torch.clamp, inputs, note=note, names=names[0] if names else None)


def tolerance():
    s = Samples("isclose")
    x = [1.0, 1.0, 1.0, 0.0, 1e-9, NAN, NAN, INF, INF, -INF, 1e10, 1.0]
    y = [1.0, 1.00001, 1.0001, 1e-9, 0.0, NAN, 1.0, INF, -INF, -INF, 1.00001e10, INF]
    plain = lambda data, dtype="float32": vector(data, dtype, requires_grad=False)
    yield from rows(
        "isclose",
        torch.isclose,
        [
            ("edges", [plain(x), plain(y)]),
            ("edges, nan equals nan", [plain(x), plain(y)], {"equal_nan": True}),
            ("edges, float64", [plain(x, F64), plain(y, F64)]),
            ("wide", [plain(x), plain(y)], {"rtol": 0.1, "atol": 0.5}),
            ("exact", [plain(x), plain(y)], {"rtol": 0.0, "atol": 0.0}),
            (
                "broadcast",
                [s.tensor(2, 1, requires_grad=False), s.tensor(3, requires_grad=False)],
                {"atol": 1.0},
            ),
            ("0-d", [Tensor("float32", [], [1.0], requires_grad=False), Tensor("float32", [], [1.0])]),
            ("empty", [s.tensor(0, 3), s.tensor(3)]),
            ("int64", [vector([1, 10, 100], I64), vector([2, 10, 101], I64)], {"rtol": 0.01}),
            ("transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(3, 2)], {"atol": 2.0}),
        ],
    )


def bits():
    logic = {
        "bitwise_and": torch.bitwise_and,
        "bitwise_or": torch.bitwise_or,
        "bitwise_xor": torch.bitwise_xor,
    }
    t, f = True, False
    for op, function in {**logic, "logical_xor": torch.logical_xor}.items():
        s = Samples(op)
        table = [
            ("int64", [vector([12, -12, 0, 2**62, -1], I64), vector([10, 10, -1, 1, 2**40], I64)]),
            ("bool", [vector([f, f, t, t], BOOL), vector([f, t, f, t], BOOL)]),
            ("uint8", [vector([0, 255, 170], U8), vector([15, 15, 85], U8)]),
            ("int8 with int32", [vector([-1, 127, -128], I8), vector([256, -1, 70000], I32)]),
            ("int64 with bool", [vector([3, 2, 0], I64), vector([t, t, f], BOOL)]),
            ("broadcast", [s.tensor(2, 1, dtype=I64), s.tensor(3, dtype=I64)]),
            ("0-d", [Tensor(I64, [], [6]), Tensor(I64, [], [3])]),
            ("empty", [Tensor(I64, [0, 2], []), Tensor(I64, [2], [1, 2])]),
            ("transposed", [s.tensor(3, 2, dtype=I64, layout="transposed"), s.tensor(3, 2, dtype=I64)]),
            ("int16 scalar", [vector([1, -2, 300], I16), Scalar(7)]),
        ]
        if op == "logical_xor":
            table[-1] = ("float32, nan is true", [vector([NAN, 0.0, -0.0]), vector([0.0, INF, 0.0])])
        yield from rows(op, function, table)
    s = Samples("bitwise_not")
    yield from rows(
        "bitwise_not",
        torch.bitwise_not,
        [
            ("int64", vector([0, -1, 5, 2**62], I64)),
            ("bool", vector([True, False], BOOL)),
            ("uint8", vector([0, 255, 7], U8)),
            ("int8", vector([-128, 127, 0], I8)),
            ("0-d", Tensor(I32, [], [9])),
            ("empty", Tensor(I64, [0], [])),
            ("transposed", s.tensor(3, 2, dtype=I64, layout="transposed")),
        ],
    )
    for op, function in {
        "bitwise_left_shift": torch.bitwise_left_shift,
        "bitwise_right_shift": torch.bitwise_right_shift,
    }.items():
        s = Samples(op)
        by = lambda *shape: s.tensor(*shape, dtype=I64, low=0, high=5)
        yield from rows(
            op,
            function,
            [
                ("int64", [vector([1, -1, 5, -9, 2**40], I64), vector([3, 2, 0, 1, 20], I64)]),
                ("shifted out", [vector([1, -1, 7, -7], I64), vector([63, 63, 64, 100], I64)]),
                ("by a negative number", [vector([8, -8], I64), vector([-1, -64], I64)]),
                ("int8", [vector([1, -1, 127, -128, 1], I8), vector([7, 1, 1, 1, 8], I8)]),
                ("uint8", [vector([1, 255, 255, 1], U8), vector([7, 4, 8, 9], U8)]),
                ("int32", [vector([1, -5, 2**30], I32), vector([31, 1, 40], I32)]),
                ("int scalar", [vector([1, 2, -3], I64), Scalar(2)]),
                ("broadcast", [s.tensor(2, 1, dtype=I64), by(3)]),
                ("0-d", [Tensor(I64, [], [6]), Tensor(I64, [], [1])]),
                ("empty", [Tensor(I64, [0, 2], []), by(2)]),
                ("transposed", [s.tensor(3, 2, dtype=I64, layout="transposed"), by(2)]),
            ],
        )


FAMILIES = {"arithmetic": [binary, rounded_division, three, clamped, tolerance], "bitwise": [bits]}
