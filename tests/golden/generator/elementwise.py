"""Elementwise ops: one input, two inputs, comparison, choice, conversion."""

import operator

import torch
import torch.nn.functional as F

from .record import BOOL, DTYPES, F32, F64, FIRST_DTYPES, I64, INF, NAN, Samples, Scalar, case, vector

EDGES = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 1e30, -1e30]
# Arguments around which exp-like functions saturate, but whose results stay normal numbers.
SATURATING = [NAN, INF, -INF, 0.0, -0.0, 1e-7, -1e-7, 20.0, -20.0, 87.0, -87.0, 90.0, 1000.0, -1000.0]
POSITIVE = (0.01, 9.0)

# op: (function, attrs of its cases, domain, edge values, takes integers)
UNARY = {
    "neg": (torch.neg, [{}], None, EDGES, [I64]),
    "abs": (torch.abs, [{}], None, EDGES, [I64]),
    "sign": (torch.sign, [{}], None, EDGES, [I64]),
    "relu": (torch.relu, [{}], None, EDGES, [I64]),
    "square": (torch.square, [{}], None, EDGES[:7] + [1e15, 1e30], [I64]),
    "exp": (torch.exp, [{}], None, SATURATING, [I64, BOOL]),
    "log": (torch.log, [{}], POSITIVE, EDGES, [I64]),
    "sqrt": (torch.sqrt, [{}], POSITIVE, EDGES, [I64]),
    "rsqrt": (torch.rsqrt, [{}], POSITIVE, EDGES, [I64]),
    "reciprocal": (torch.reciprocal, [{}], None, EDGES[:8] + [1e15, -1e15], [I64, BOOL]),
    "sin": (
        torch.sin,
        [{}],
        (-9.0, 9.0),
        [NAN, INF, -INF, 0.0, -0.0, 1e-7, 1.5707964, 3.1415927, 100.5],
        [I64, BOOL],
    ),
    "cos": (
        torch.cos,
        [{}],
        (-9.0, 9.0),
        [NAN, INF, -INF, 0.0, -0.0, 1e-7, 1.5707964, 3.1415927, 100.5],
        [I64, BOOL],
    ),
    "tanh": (torch.tanh, [{}], None, SATURATING, [I64]),
    "sigmoid": (torch.sigmoid, [{}], None, SATURATING, [I64]),
    "isnan": (torch.isnan, [{}], None, EDGES, [I64, BOOL]),
    "logical_not": (torch.logical_not, [{}], (-1.0, 1.0), EDGES, [I64, BOOL]),
    "leaky_relu": (F.leaky_relu, [{"negative_slope": 0.01}, {"negative_slope": 0.2}], None, EDGES, []),
    "gelu": (
        F.gelu,
        [{"approximate": "none"}, {"approximate": "tanh"}],
        None,
        [NAN, INF, 0.0, -0.0, 1e-7, 6.0, -6.0, 30.0, -30.0],
        [],
    ),
    "silu": (F.silu, [{}], None, [NAN, INF, 0.0, -0.0, 1e-7, 20.0, -20.0, 90.0], []),
    "softplus": (
        F.softplus,
        [{"beta": 1.0, "threshold": 20.0}, {"beta": 2.0, "threshold": 5.0}],
        None,
        [NAN, INF, -INF, 0.0, -0.0, 20.0, 20.5, -20.0, 1000.0, -87.0],
        [],
    ),
    "elu": (
        F.elu,
        [{"alpha": 1.0}, {"alpha": 0.5}],
        None,
        # No NaN: PyTorch's gradient there is nan or the upstream value, by instruction set.
        [INF, -INF, 0.0, -0.0, 1e-7, -1e-7, -20.0, -1000.0],
        [],
    ),
}


def unary():
    for op, (function, variants, domain, edges, integers) in UNARY.items():
        samples = Samples(op)
        low, high = domain or (None, None)
        for attrs in variants:
            make = lambda *shape, **more: samples.tensor(*shape, low=low, high=high, **more)
            for note, inputs in [
                ("matrix", make(2, 3)),
                ("float64", make(3, 2, dtype=F64)),
                ("0-d", make()),
                ("0-d float64", make(dtype=F64)),
                ("empty", make(0, 3)),
                ("transposed", make(3, 4, layout="transposed")),
                ("sliced", make(2, 5, layout="sliced")),
                ("longer than a SIMD vector", make(5, 17)),
                ("edges", vector(edges)),
                ("edges, float64", vector(edges, F64)),
                *(
                    (
                        f"from {dtype}",
                        samples.tensor(2, 3, dtype=dtype, low=1 if domain == POSITIVE else None),
                    )
                    for dtype in integers
                ),
            ]:
                yield case(op, function, [inputs], attrs, note)


ARITHMETIC = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}
EXTREMES = {"maximum": torch.maximum, "minimum": torch.minimum}
COMPARISON = {name: getattr(torch, name) for name in ["eq", "ne", "lt", "le", "gt", "ge"]}
LOGICAL = {"logical_and": torch.logical_and, "logical_or": torch.logical_or}


def pairs(values):
    """Every ordered pair of the values, as two columns."""
    return [a for a in values for _ in values], [b for _ in values for b in values]


def binary():
    for op, function in {**ARITHMETIC, "pow": torch.pow, **EXTREMES, **COMPARISON, **LOGICAL}.items():
        samples = Samples(op)
        left = lambda *shape, **more: samples.tensor(*shape, **({"low": 0.1} if op == "pow" else {}), **more)
        right = lambda *shape, **more: samples.tensor(*shape, **more)
        if op == "div":  # keep clear of zero but for the edges
            right = lambda *shape, **more: samples.tensor(*shape, low=0.5, **more)
        edges = [NAN, INF, -INF, 0.0, -0.0, 1.0, -2.0, 0.5]
        a, b = pairs(edges)
        rows = [
            ("same shape", left(2, 3), right(2, 3)),
            ("float64", left(2, 2, dtype=F64), right(2, 2, dtype=F64)),
            ("row over matrix", left(3, 4), right(4)),
            ("column by row", left(3, 1), right(1, 4)),
            ("0-d with matrix", left(), right(2, 2)),
            ("0-d both", left(), right()),
            ("three dimensions", left(2, 1, 3), right(4, 1)),
            ("empty", left(0, 3), right(3)),
            ("transposed with contiguous", left(3, 4, layout="transposed"), right(3, 4)),
            ("sliced with transposed", left(4, 3, layout="sliced"), right(4, 3, layout="transposed")),
            ("longer than a SIMD vector", left(3, 19), right(3, 19)),
            ("edges", vector(a), vector(b)),
            ("edges, float64", vector(a, F64), vector(b, F64)),
            ("float32 with float64", left(3), right(3, dtype=F64)),
            ("int64 with float32", samples.tensor(2, 3, dtype=I64, low=1), right(2, 3)),
        ]
        if op == "pow":
            rows += [
                ("int64", samples.tensor(2, 3, dtype=I64), samples.tensor(2, 3, dtype=I64, low=0, high=4))
            ]
        else:
            rows += [("int64", samples.tensor(2, 3, dtype=I64), samples.tensor(3, dtype=I64, low=1))]
        if op not in ("sub", "pow"):
            rows += [
                (
                    "bool with bool",
                    vector([False, False, True, True], BOOL),
                    vector([False, True, False, True], BOOL),
                )
            ]
        if op in ("div",):
            rows[-1] = ("bool with bool", vector([False, True], BOOL), vector([True, True], BOOL))
        if op in EXTREMES or op in COMPARISON:
            rows += [("ties", vector([1.0, 2.0, 3.0, 2.0]), vector([1.0, 2.5, 3.0, 1.5]))]
        for note, x, y in rows:
            yield case(op, function, [x, y], note=note)
        if op in ARITHMETIC:
            for note, x, scalar in [
                ("float scalar", left(2, 2), 2.5),
                ("int scalar", left(2, 2), 3),
                ("int64 with float scalar", samples.tensor(3, dtype=I64), 1.5),
            ]:
                yield case(op, function, [x, Scalar(scalar)], note=note)
                yield case(
                    op,
                    getattr(operator, op if op != "div" else "truediv"),
                    [Scalar(scalar), samples.tensor(2, 2, low=0.5)],
                    note=f"{note} first",
                )
        if op in COMPARISON:
            yield case(op, function, [left(2, 2), Scalar(0)], note="int scalar")


def pow_scalar():
    samples = Samples("pow_scalar")
    function = lambda x, exponent: torch.pow(x, exponent)
    for exponent in [2, 3, 2.0, 0.5, 1, 0, -1, -2, 1.5, -0.5]:
        attrs = {"exponent": exponent}
        yield case("pow_scalar", function, [samples.tensor(2, 3, low=0.1)], attrs, f"x ** {exponent}")
        yield case(
            "pow_scalar",
            function,
            [vector([NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, -2.5])],
            attrs,
            f"edges ** {exponent}",
        )
    for note, x, exponent in [
        ("float64", samples.tensor(2, 2, dtype=F64), 2),
        ("int64", samples.tensor(2, 3, dtype=I64), 2),
        ("int64 to a float power", samples.tensor(3, dtype=I64, low=1), 0.5),
        ("0-d", samples.tensor(), 3),
        ("empty", samples.tensor(0), 2),
        ("transposed", samples.tensor(3, 2, layout="transposed"), 2),
    ]:
        yield case("pow_scalar", function, [x], {"exponent": exponent}, note)


def choice():
    samples = Samples("where")
    pick = lambda *shape: samples.tensor(*shape, dtype=BOOL)
    for note, *inputs in [
        ("same shape", pick(2, 3), samples.tensor(2, 3), samples.tensor(2, 3)),
        ("broadcast all", pick(3, 1), samples.tensor(4), samples.tensor(2, 1, 1)),
        ("float64", pick(4), samples.tensor(4, dtype=F64), samples.tensor(4, dtype=F64)),
        ("promotes", pick(4), samples.tensor(4, dtype=I64), samples.tensor(4)),
        ("int64", pick(4), samples.tensor(4, dtype=I64), samples.tensor(4, dtype=I64)),
        ("0-d", pick(), samples.tensor(), samples.tensor()),
        ("empty", pick(0, 2), samples.tensor(0, 2), samples.tensor(2)),
        (
            "the side not taken may be nan",
            vector([True, False, True], BOOL),
            vector([1.0, NAN, INF]),
            vector([NAN, 2.0, -INF]),
        ),
        (
            "transposed",
            samples.tensor(2, 3, dtype=BOOL, layout="transposed"),
            samples.tensor(2, 3, layout="sliced"),
            samples.tensor(2, 3),
        ),
        ("scalar other", pick(2, 3), samples.tensor(2, 3), Scalar(0.0)),
        ("scalar first", pick(2, 3), Scalar(1), samples.tensor(2, 3, dtype=F64)),
    ]:
        yield case("where", torch.where, inputs, note=note)

    samples = Samples("clamp")
    for note, x, low, high in [
        ("both", samples.tensor(3, 4), -1.0, 1.0),
        ("min only", samples.tensor(3, 4), 0.0, None),
        ("max only", samples.tensor(3, 4), None, 0.5),
        ("float64", samples.tensor(5, dtype=F64), -1.0, 1.0),
        ("at the bounds", vector([-1.0, 1.0, 0.0, -0.0, 2.0]), -1.0, 1.0),
        ("min above max", samples.tensor(4), 1.0, -1.0),
        ("edges", vector([NAN, INF, -INF, 0.0, -0.0]), -1.0, 2.0),
        ("int64", samples.tensor(6, dtype=I64), -2, 3),
        ("int64 with float bounds", samples.tensor(6, dtype=I64), -1.5, 2.5),
        ("0-d", samples.tensor(), 0.0, 1.0),
        ("empty", samples.tensor(2, 0), 0.0, 1.0),
        ("sliced", samples.tensor(2, 3, layout="sliced"), -0.5, 0.5),
    ]:
        yield case("clamp", torch.clamp, [x], {"min": low, "max": high}, note)


def convert():
    samples = Samples("to")
    to = lambda x, dtype: x.to(DTYPES[dtype])
    values = {
        F32: [0.0, -0.0, 1.9, -1.9, 0.5, 1e9, -3.0, 16777216.0],
        F64: [0.0, -0.0, 1.9, -1.9, 0.1, 1e12, 1e-50, 1e300],
        I64: [0, 1, -7, 2**53 + 1, -(2**31), 16777217],
        BOOL: [True, False],
    }
    for source, data in values.items():
        for target in FIRST_DTYPES:
            if (source, target) == (F64, I64):
                data = data[:-1]
            yield case("to", to, [vector(data, source)], {"dtype": target}, f"{source} to {target}")
    for note, x, target in [
        ("nan and infinities", vector([NAN, INF, -INF]), F64),
        ("nan is true", vector([NAN, INF, 0.0]), BOOL),
        ("0-d", samples.tensor(), F64),
        ("empty", samples.tensor(0, 2), I64),
        ("transposed", samples.tensor(3, 2, layout="transposed"), F64),
    ]:
        yield case("to", to, [x], {"dtype": target}, note)
    for note, x in [
        ("float32", samples.tensor(2, 3)),
        ("float64", samples.tensor(2, dtype=F64)),
        ("int64", samples.tensor(3, dtype=I64)),
        ("bool", samples.tensor(3, dtype=BOOL)),
        ("0-d", samples.tensor()),
        ("empty", samples.tensor(0)),
        ("transposed", samples.tensor(3, 2, layout="transposed")),
        ("sliced", samples.tensor(2, 3, layout="sliced")),
    ]:
        yield case("clone", torch.clone, [x], note=note)


FAMILIES = {"unary": [unary], "binary": [binary, pow_scalar], "choice": [choice], "convert": [convert]}
