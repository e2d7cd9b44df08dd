"""Reductions over no, one or several dimensions, and running sums."""

import warnings

import torch

from .record import BOOL, F32, F64, I64, INF, NAN, Samples, Tensor, case, vector

# var and std of a single number warn; the nan they give is part of the cases.
warnings.filterwarnings("ignore", message=".*degrees of freedom.*")


def over_dims(op, function, samples, make=None, **fixed):
    """The ways to name dimensions, for ops that take none, one or a list."""
    make = make or samples.tensor
    for note, x, attrs in [
        ("all", make(2, 3), {"dim": None}),
        ("rows", make(2, 3), {"dim": 0}),
        ("columns", make(2, 3), {"dim": 1}),
        ("last, kept", make(2, 3), {"dim": -1, "keepdim": True}),
        ("two of three", make(2, 3, 4), {"dim": [0, 2]}),
        ("two of three, kept", make(2, 3, 4), {"dim": [1, -1], "keepdim": True}),
        ("middle", make(2, 3, 4), {"dim": 1}),
        ("float64", make(3, 2, dtype=F64), {"dim": 0}),
        ("0-d", make(), {"dim": None}),
        ("transposed", make(3, 4, layout="transposed"), {"dim": 0}),
        ("sliced", make(3, 5, layout="sliced"), {"dim": 1}),
        ("longer than a SIMD vector", make(3, 37), {"dim": 1}),
        ("many rows", make(29, 3), {"dim": 0}),
    ]:
        attrs = {**attrs, **fixed}
        if attrs["dim"] is None and op not in ("amax", "amin"):
            attrs.pop("dim")
        elif attrs["dim"] is None:
            attrs["dim"] = []
        yield case(op, function, [x], attrs, note)


def sums():
    for op, function in {"sum": torch.sum, "mean": torch.mean}.items():
        samples = Samples(op)
        yield from over_dims(op, function, samples)
        yield case(op, function, [samples.tensor(0, 3)], {"dim": 0}, "over an empty dimension")
        yield case(op, function, [samples.tensor(0, 3)], {"dim": 1}, "beside an empty dimension")
        yield case(op, function, [samples.tensor(0)], {}, "empty")
        yield case(op, function, [vector([1.0, NAN, INF])], {}, "nan")
        yield case(op, function, [Tensor(F32, [2, 2], [INF, -INF, INF, 1.0])], {"dim": 1}, "infinities")
        if op == "sum":
            yield case(op, function, [samples.tensor(2, 3, dtype=I64)], {"dim": 1}, "int64")
            yield case(op, function, [samples.tensor(2, 9, dtype=BOOL)], {"dim": 1}, "bool counts")
            yield case(op, function, [samples.tensor(7, dtype=BOOL)], {}, "bool counts all")
    samples = Samples("prod")
    for note, x, attrs in [
        ("all", samples.tensor(2, 3), {}),
        ("rows", samples.tensor(2, 3), {"dim": 0}),
        ("columns, kept", samples.tensor(2, 3), {"dim": 1, "keepdim": True}),
        ("float64", samples.tensor(4, dtype=F64), {"dim": -1}),
        ("one zero", vector([2.0, 0.0, 3.0]), {}),
        ("two zeros", vector([2.0, 0.0, 0.0]), {}),
        ("zeros by row", Tensor(F32, [3, 3], [1.0, 2.0, 3.0, 0.0, 2.0, 3.0, 0.0, 0.0, 3.0]), {"dim": 1}),
        ("int64", samples.tensor(2, 3, dtype=I64, low=1), {"dim": 1}),
        ("bool", vector([True, True], BOOL), {}),
        ("0-d", samples.tensor(), {}),
        ("empty", samples.tensor(0), {}),
        ("transposed", samples.tensor(3, 2, layout="transposed"), {"dim": 0}),
    ]:
        yield case("prod", torch.prod, [x], attrs, note)


def extremes():
    ties = Tensor(F32, [2, 4], [3.0, 1.0, 3.0, 1.0, 2.0, 2.0, 2.0, 2.0])
    for op, function in {"amax": torch.amax, "amin": torch.amin}.items():
        samples = Samples(op)
        yield from over_dims(op, function, samples)
        yield case(op, function, [ties], {"dim": 1}, "ties share the gradient")
        yield case(op, function, [ties], {"dim": []}, "ties, all")
        yield case(op, function, [Tensor(F32, [2, 2], [1.0, NAN, INF, -INF])], {"dim": 1}, "nan wins")
        yield case(op, function, [samples.tensor(2, 3, dtype=I64)], {"dim": 1}, "int64")
        yield case(op, function, [samples.tensor(2, 0)], {"dim": 0}, "beside an empty dimension")
    for op, function in {"max": torch.max, "min": torch.min}.items():
        samples = Samples(op)
        for note, x in [
            ("matrix", samples.tensor(2, 3)),
            ("float64", samples.tensor(5, dtype=F64)),
            ("0-d", samples.tensor()),
            ("int64", samples.tensor(2, 3, dtype=I64)),
            ("bool", samples.tensor(4, dtype=BOOL)),
            ("ties share the gradient", ties),
            ("nan wins", vector([1.0, NAN, 3.0])),
            ("transposed", samples.tensor(3, 4, layout="transposed")),
            ("infinities", vector([-INF, INF, 0.0])),
        ]:
            yield case(op, function, [x], {}, note)
        for note, x, attrs in [
            ("rows", samples.tensor(2, 3), {"dim": 0}),
            ("columns", samples.tensor(2, 3), {"dim": 1}),
            ("last, kept", samples.tensor(2, 3, 4), {"dim": -1, "keepdim": True}),
            ("middle", samples.tensor(2, 3, 4), {"dim": 1}),
            ("float64", samples.tensor(3, 2, dtype=F64), {"dim": 1}),
            ("int64", samples.tensor(3, 3, dtype=I64), {"dim": 0}),
            ("ties take the first", ties, {"dim": 1}),
            ("nan wins, the first", Tensor(F32, [2, 3], [1.0, NAN, NAN, INF, 2.0, -INF]), {"dim": 1}),
            ("0-d", samples.tensor(), {"dim": 0}),
            ("transposed", samples.tensor(3, 4, layout="transposed"), {"dim": 1}),
        ]:
            yield case(f"{op}_dim", function, [x], attrs, note)
    for op, function in {"argmax": torch.argmax, "argmin": torch.argmin}.items():
        samples = Samples(op)
        for note, x, attrs in [
            ("all", samples.tensor(2, 3), {}),
            ("rows", samples.tensor(2, 3), {"dim": 0}),
            ("columns", samples.tensor(2, 3), {"dim": 1}),
            ("last, kept", samples.tensor(2, 3, 4), {"dim": -1, "keepdim": True}),
            ("float64", samples.tensor(3, 2, dtype=F64), {"dim": 1}),
            ("int64", samples.tensor(7, dtype=I64), {}),
            ("ties take the first", ties, {"dim": 1}),
            ("nan wins", vector([1.0, NAN, 3.0, NAN]), {"dim": 0}),
            ("0-d", samples.tensor(), {}),
            ("transposed", samples.tensor(3, 4, layout="transposed"), {"dim": 0}),
        ]:
            yield case(op, function, [x], attrs, note)


def spread():
    for op, function in {"var": torch.var, "std": torch.std}.items():
        samples = Samples(op)
        yield from over_dims(op, function, samples, correction=1)
        for note, x, attrs in [
            ("population", samples.tensor(3, 4), {"dim": 1, "correction": 0}),
            ("population, all", samples.tensor(3, 4), {"correction": 0}),
            ("default correction", samples.tensor(2, 5), {"dim": 0}),
            ("one number", vector([2.0]), {"dim": 0, "correction": 1}),
            ("equal numbers", vector([2.0, 2.0, 2.0]), {"dim": 0, "correction": 0}),
            ("far from zero", vector([10000.0, 10001.0, 10002.5]), {"dim": 0, "correction": 1}),
            ("nan", vector([1.0, NAN, 2.0]), {"dim": 0, "correction": 1}),
        ]:
            yield case(op, function, [x], attrs, note)


def truth():
    for op, function in {"any": torch.any, "all": torch.all}.items():
        samples = Samples(op)
        for note, x, attrs in [
            ("bool", samples.tensor(2, 3, dtype=BOOL), {}),
            ("rows", samples.tensor(2, 3, dtype=BOOL), {"dim": 0}),
            ("last, kept", samples.tensor(3, 2, dtype=BOOL), {"dim": -1, "keepdim": True}),
            ("two dims", samples.tensor(2, 3, 2, dtype=BOOL), {"dim": [0, 2]}),
            ("int64", vector([0, 0, 3], I64), {}),
            ("float32, nan is true", vector([0.0, -0.0, NAN], requires_grad=False), {}),
            ("zeros", vector([0.0, -0.0], requires_grad=False), {}),
            ("empty", Tensor(BOOL, [0], []), {}),
            ("over an empty dimension", Tensor(BOOL, [0, 2], []), {"dim": 0}),
            ("0-d", Tensor(BOOL, [], [True]), {}),
            ("transposed", samples.tensor(3, 2, dtype=BOOL, layout="transposed"), {"dim": 1}),
        ]:
            yield case(op, function, [x], attrs, note)


def running():
    samples = Samples("cumsum")
    for note, x, dim in [
        ("vector", samples.tensor(5), 0),
        ("down", samples.tensor(3, 4), 0),
        ("across", samples.tensor(3, 4), -1),
        ("middle", samples.tensor(2, 3, 2), 1),
        ("float64", samples.tensor(4, dtype=F64), 0),
        ("int64", samples.tensor(5, dtype=I64), 0),
        ("bool counts", samples.tensor(5, dtype=BOOL), 0),
        ("0-d", samples.tensor(), 0),
        ("empty", samples.tensor(0, 2), 0),
        ("nan spreads", vector([1.0, NAN, 2.0]), 0),
        ("transposed", samples.tensor(3, 4, layout="transposed"), 1),
    ]:
        yield case("cumsum", torch.cumsum, [x], {"dim": dim}, note)


FAMILIES = {"reduction": [sums, extremes, spread, truth, running]}
