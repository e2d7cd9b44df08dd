"""Elementwise functions of one number beyond the first floor: trigonometry, exponentials, rounding,
activations.

Each op draws from a domain where it is smooth, then meets its edges in a case of its own: infinities,
NaN, signed zeros, the ends of its domain, numbers where a careless formula overflows or cancels.
"""

import math

import torch
import torch.nn.functional as F

from .record import BOOL, F64, I64, INF, NAN, U8, Samples, case, vector

EDGES = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 1e30, -1e30]
ENDS = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 1.5, -1.5, 1e-7, -1e-7, 0.99999]
ANGLES = [NAN, INF, -INF, 0.0, -0.0, 1e-7, -1e-7, 0.7853982, 3.1415927]
SATURATING = [NAN, INF, -INF, 0.0, -0.0, 1e-7, -1e-7, 20.0, -20.0, 60.0, -60.0]
FINITE = [0.0, -0.0, 1e-7, -1e-7, 20.0, -20.0, 60.0, -60.0, 1000.0, -1000.0]
TIES = [NAN, INF, -INF, 0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997, 8388609.0, 1e30]
POSITIVE, INSIDE, ABOVE_ONE = (0.05, 9.0), (-0.95, 0.95), (1.05, 6.0)

# op: (function, domain, edge values, dtypes of whole numbers it takes, attrs of its cases)
TRIGONOMETRY = {
    "tan": (torch.tan, (-1.4, 1.4), ANGLES, [I64, BOOL]),
    "asin": (torch.asin, INSIDE, ENDS, [I64, BOOL]),
    "acos": (torch.acos, INSIDE, ENDS, [I64, BOOL]),
    "atan": (torch.atan, None, EDGES, [I64, BOOL]),
    "sinh": (torch.sinh, None, SATURATING, [I64]),
    "cosh": (torch.cosh, None, SATURATING, [I64]),
    "asinh": (torch.asinh, None, EDGES[:9] + [1e15, -1e15], [I64]),
    "acosh": (torch.acosh, ABOVE_ONE, [NAN, INF, -INF, 0.0, 1.0, 1.25, 0.5, 1e15], [I64]),
    "atanh": (torch.atanh, INSIDE, ENDS, [I64, BOOL]),
}
EXPONENTIAL = {
    "exp2": (
        torch.exp2,
        None,
        [NAN, INF, -INF, 0.0, -0.0, 1e-7, 100.0, -100.0, 128.0, 1000.0, -1000.0],
        [I64],
    ),
    "expm1": (torch.expm1, None, [NAN, INF, -INF, 0.0, -0.0, 1e-7, -1e-7, 80.0, -80.0, 1000.0], [I64]),
    "log2": (torch.log2, POSITIVE, EDGES, [I64]),
    "log10": (torch.log10, POSITIVE, EDGES, [I64]),
    "log1p": (torch.log1p, (-0.9, 5.0), [*EDGES, 1e-7, -1.5], [I64]),
    "erf": (torch.erf, None, [NAN, INF, -INF, 0.0, -0.0, 1e-7, 4.0, -4.0, 30.0], [I64]),
    "erfc": (torch.erfc, None, [NAN, INF, -INF, 0.0, -0.0, 1e-7, 4.0, -4.0, 30.0], [I64]),
}
ROUNDING = {
    "ceil": (torch.ceil, None, TIES, [I64, U8]),
    "floor": (torch.floor, None, TIES, [I64, U8]),
    "round": (torch.round, None, TIES, [I64, U8], [{}, {"decimals": 2}, {"decimals": -1}]),
    "trunc": (torch.trunc, None, TIES, [I64, U8]),
    "frac": (torch.frac, None, [NAN, 0.0, -0.0, 0.5, -0.5, 1.5, -2.75, 8388609.0, 1e30], []),
    "isinf": (torch.isinf, None, EDGES, [I64, BOOL]),
    "isfinite": (torch.isfinite, None, EDGES, [I64, BOOL]),
    "nan_to_num": (
        torch.nan_to_num,
        None,
        EDGES,
        [I64, BOOL],
        [{}, {"nan": 1.5}, {"nan": 0.0, "posinf": 100.0, "neginf": -100.0}],
    ),
}
# Where an op has no NaN among its edges, the gradient at NaN is the upstream value or zero by dtype or
# instruction set; the forward is tested by itself.
ACTIVATION = {
    "logsigmoid": (F.logsigmoid, None, SATURATING, []),
    "relu6": (F.relu6, (-2.0, 8.0), [INF, -INF, 0.0, -0.0, 6.0, 5.9999995, 6.5], [I64]),
    "selu": (F.selu, None, FINITE, []),
    "celu": (F.celu, None, FINITE, [], [{}, {"alpha": 0.5}]),
    "mish": (F.mish, None, [NAN, INF, *FINITE], []),
    "softsign": (F.softsign, None, [NAN, 0.0, -0.0, 1.0, -1.0, 1e15, -1e15], []),
    # Nothing negative within the band: float32 has -0 there, float64 has 0.
    "softshrink": (
        F.softshrink,
        (0.0, 3.0),
        [INF, -INF, 0.0, 0.5, 0.50001, -2.0, 1.25, 1.5, -1.25001, -3.0],
        [],
        [{}, {"lambd": 1.25}],
    ),
    "hardshrink": (
        F.hardshrink,
        None,
        [INF, -INF, 0.0, -0.0, 0.5, -0.5, 0.50001, -0.50001],
        [],
        [{}, {"lambd": 1.25}],
    ),
    "hardtanh": (
        F.hardtanh,
        None,
        [INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.99999, -0.99999, 2.0],
        [I64],
        [{}, {"min_val": -2.0, "max_val": 0.5}],
    ),
    "hardsigmoid": (F.hardsigmoid, (-5.0, 5.0), [NAN, INF, -INF, 0.0, -0.0, 3.0, -3.0, 2.9999, -2.9999], []),
    "hardswish": (F.hardswish, (-5.0, 5.0), [0.0, -0.0, 3.0, -3.0, 2.9999, -2.9999, 1000.0], []),
    "threshold": (
        F.threshold,
        None,
        [NAN, INF, -INF, 0.0, -0.0, 0.5, 0.50001],
        [I64],
        [{"threshold": 0.5, "value": -7.0}, {"threshold": -1.0, "value": 0.0}],
    ),
}


def functions(table):
    for op, (function, domain, edges, integers, *variants) in table.items():
        samples = Samples(op)
        low, high = domain or (None, None)
        make = lambda *shape, **more: samples.tensor(*shape, low=low, high=high, **more)
        for which, attrs in enumerate(variants[0] if variants else [{}]):
            rows = [
                ("matrix", make(2, 3)),
                ("float64", make(3, 2, dtype=F64)),
                ("edges", vector(edges)),
                ("edges, float64", vector(edges, F64)),
            ]
            if which == 0:
                rows += [
                    ("0-d", make()),
                    ("0-d float64", make(dtype=F64)),
                    ("empty", make(0, 3)),
                    ("transposed", make(3, 4, layout="transposed")),
                    ("sliced", make(2, 5, layout="sliced")),
                    ("longer than a SIMD vector", make(19)),
                ]
            if table is ACTIVATION and which == 0 and not any(math.isnan(edge) for edge in edges):
                rows += [("nan", vector([NAN, 1.0], requires_grad=False))]
            if op == "threshold":
                attrs_of = lambda dtype, attrs=attrs: {**attrs, "threshold": 1, "value": -3}
            else:
                attrs_of = lambda dtype, attrs=attrs: attrs
            rows += [
                (f"from {dtype}", samples.tensor(2, 3, dtype=dtype, low=1 if domain == POSITIVE else None))
                for dtype in integers
                if not (op == "round" and which)
            ]
            for note, x in rows:
                yield case(op, function, [x], attrs if "from" not in note else attrs_of(x.dtype), note)


def prelu():
    s = Samples("prelu")
    for note, x, weight in [
        ("one weight", s.tensor(2, 3), s.tensor(1)),
        ("a weight per channel", s.tensor(2, 3), s.tensor(3)),
        ("channels of an image", s.tensor(2, 3, 2), s.tensor(3)),
        ("float64", s.tensor(2, 3, dtype=F64), s.tensor(3, dtype=F64)),
        ("0-d", s.tensor(), s.tensor(1)),
        ("empty", s.tensor(0, 3), s.tensor(3)),
        ("transposed", s.tensor(3, 4, layout="transposed"), s.tensor(4)),
        ("edges", vector([NAN, INF, -INF, 0.0, -0.0, 1e30, -1e30]), s.tensor(1)),
    ]:
        yield case("prelu", F.prelu, [x, weight], note=note)


FAMILIES = {
    "trigonometry": [lambda: functions(TRIGONOMETRY)],
    "exponential": [lambda: functions(EXPONENTIAL)],
    "rounding": [lambda: functions(ROUNDING)],
    "activation": [lambda: functions(ACTIVATION), prelu],
}
