"""Products of matrices, and movement: ops that only change how elements are addressed."""

import torch
import torch.nn.functional as F

from .record import BF16, BOOL, F64, I64, INF, NAN, Samples, Tensor, case


def products():
    samples = Samples("matmul")
    for note, x, y in [
        ("matrix by matrix", samples.tensor(2, 3), samples.tensor(3, 4)),
        ("vector by vector", samples.tensor(4), samples.tensor(4)),
        ("matrix by vector", samples.tensor(2, 3), samples.tensor(3)),
        ("vector by matrix", samples.tensor(3), samples.tensor(3, 2)),
        ("batch by batch", samples.tensor(2, 3, 4), samples.tensor(2, 4, 2)),
        ("batch by matrix", samples.tensor(2, 3, 4), samples.tensor(4, 2)),
        ("matrix by batch", samples.tensor(3, 4), samples.tensor(2, 4, 2)),
        ("batches broadcast", samples.tensor(2, 1, 2, 3), samples.tensor(3, 3, 2)),
        ("batch by vector", samples.tensor(2, 3, 4), samples.tensor(4)),
        ("vector by batch", samples.tensor(4), samples.tensor(2, 4, 3)),
        ("float64", samples.tensor(3, 3, dtype=F64), samples.tensor(3, 2, dtype=F64)),
        ("int64", samples.tensor(2, 3, dtype=I64), samples.tensor(3, 2, dtype=I64)),
        ("transposed left", samples.tensor(3, 4, layout="transposed"), samples.tensor(4, 2)),
        ("transposed right", samples.tensor(3, 4), samples.tensor(4, 5, layout="transposed")),
        (
            "sliced by transposed",
            samples.tensor(3, 4, layout="sliced"),
            samples.tensor(4, 3, layout="transposed"),
        ),
        ("no inner elements", samples.tensor(2, 0), samples.tensor(0, 3)),
        ("no rows", samples.tensor(0, 3), samples.tensor(3, 2)),
        ("odd sizes", samples.tensor(7, 13), samples.tensor(13, 9)),
        ("more than a tile", samples.tensor(17, 33), samples.tensor(33, 19)),
        (
            "nan and infinity",
            Tensor("float32", [2, 2], [NAN, 1.0, INF, 0.0]),
            Tensor("float32", [2, 2], [1.0, 0.0, 0.0, 1.0]),
        ),
    ]:
        yield case("matmul", torch.matmul, [x, y], note=note)
    samples = Samples("linear")
    for note, *inputs in [
        ("with bias", samples.tensor(4, 3), samples.tensor(2, 3), samples.tensor(2)),
        ("without bias", samples.tensor(4, 3), samples.tensor(2, 3)),
        ("one sample", samples.tensor(3), samples.tensor(2, 3), samples.tensor(2)),
        ("three dimensions", samples.tensor(2, 4, 3), samples.tensor(2, 3), samples.tensor(2)),
        (
            "float64",
            samples.tensor(2, 3, dtype=F64),
            samples.tensor(4, 3, dtype=F64),
            samples.tensor(4, dtype=F64),
        ),
        (
            "transposed input",
            samples.tensor(4, 3, layout="transposed"),
            samples.tensor(5, 3),
            samples.tensor(5),
        ),
        ("no samples", samples.tensor(0, 3), samples.tensor(2, 3), samples.tensor(2)),
        ("longer than a SIMD vector", samples.tensor(5, 23), samples.tensor(11, 23), samples.tensor(11)),
        (
            "product and sum rounded once",
            samples.tensor(9, 33, dtype=BF16),
            samples.tensor(7, 33, dtype=BF16),
            samples.tensor(7, dtype=BF16),
        ),
    ]:
        yield case("linear", F.linear, inputs, note=note)


def rearranged():
    def rows(op, function, *table):
        for note, x, attrs in table:
            yield case(op, function, [x], attrs, note)

    s = Samples("reshape")
    yield from rows(
        "reshape",
        torch.reshape,
        ("matrix", s.tensor(2, 6), {"shape": [3, 4]}),
        ("inferred", s.tensor(2, 6), {"shape": [-1, 3]}),
        ("to a vector", s.tensor(2, 3), {"shape": [-1]}),
        ("to 0-d", s.tensor(1, 1), {"shape": []}),
        ("from 0-d", s.tensor(), {"shape": [1, 1]}),
        ("empty", s.tensor(0, 3), {"shape": [3, 0]}),
        ("transposed needs a copy", s.tensor(3, 4, layout="transposed"), {"shape": [2, 6]}),
        ("sliced", s.tensor(2, 4, layout="sliced"), {"shape": [4, 2]}),
        ("int64", s.tensor(6, dtype=I64), {"shape": [2, 3]}),
        ("float64", s.tensor(4, dtype=F64), {"shape": [2, 2]}),
    )
    s = Samples("permute")
    yield from rows(
        "permute",
        torch.permute,
        ("three", s.tensor(2, 3, 4), {"dims": [2, 0, 1]}),
        ("negative", s.tensor(2, 3, 4), {"dims": [-1, 1, 0]}),
        ("identity", s.tensor(2, 3), {"dims": [0, 1]}),
        ("0-d", s.tensor(), {"dims": []}),
        ("empty", s.tensor(0, 3), {"dims": [1, 0]}),
        ("transposed back", s.tensor(3, 4, layout="transposed"), {"dims": [1, 0]}),
        ("four", s.tensor(2, 1, 3, 2), {"dims": [3, 1, 0, 2]}),
        ("bool", s.tensor(2, 3, dtype=BOOL), {"dims": [1, 0]}),
    )
    s = Samples("transpose")
    yield from rows(
        "transpose",
        torch.transpose,
        ("matrix", s.tensor(2, 3), {"dim0": 0, "dim1": 1}),
        ("negative", s.tensor(2, 3, 4), {"dim0": -1, "dim1": 0}),
        ("itself", s.tensor(2, 3), {"dim0": 1, "dim1": 1}),
        ("float64", s.tensor(2, 2, dtype=F64), {"dim0": 0, "dim1": 1}),
        ("0-d", s.tensor(), {"dim0": 0, "dim1": -1}),
        ("empty", s.tensor(2, 0), {"dim0": 0, "dim1": 1}),
        ("sliced", s.tensor(2, 3, layout="sliced"), {"dim0": 0, "dim1": 1}),
    )
    s = Samples("expand")
    yield from rows(
        "expand",
        lambda x, size: x.expand(size),
        ("row", s.tensor(1, 3), {"size": [4, 3]}),
        ("column", s.tensor(3, 1), {"size": [3, 4]}),
        ("keep", s.tensor(3, 1), {"size": [-1, 2]}),
        ("new dimension", s.tensor(3), {"size": [2, 3]}),
        ("0-d", s.tensor(), {"size": [2, 2]}),
        ("same", s.tensor(2, 3), {"size": [2, 3]}),
        ("to nothing", s.tensor(1, 3), {"size": [0, 3]}),
        ("float64", s.tensor(1, dtype=F64), {"size": [3]}),
        ("int64", s.tensor(2, 1, dtype=I64), {"size": [2, 2]}),
        ("transposed", s.tensor(1, 3, 2, layout="transposed"), {"size": [2, 3, 2]}),
    )
    s = Samples("squeeze")
    yield from rows(
        "squeeze",
        torch.squeeze,
        ("all", s.tensor(1, 3, 1), {}),
        ("first", s.tensor(1, 3, 1), {"dim": 0}),
        ("last", s.tensor(1, 3, 1), {"dim": -1}),
        ("not of size 1", s.tensor(2, 3), {"dim": 0}),
        ("a list", s.tensor(1, 3, 1, 1), {"dim": [0, 2]}),
        ("0-d", s.tensor(), {}),
        ("to 0-d", s.tensor(1), {"dim": 0}),
        ("empty", s.tensor(1, 0), {}),
        ("float64", s.tensor(1, 2, dtype=F64), {"dim": 0}),
    )
    s = Samples("unsqueeze")
    yield from rows(
        "unsqueeze",
        torch.unsqueeze,
        ("first", s.tensor(2, 3), {"dim": 0}),
        ("middle", s.tensor(2, 3), {"dim": 1}),
        ("last", s.tensor(2, 3), {"dim": -1}),
        ("0-d", s.tensor(), {"dim": 0}),
        ("empty", s.tensor(0), {"dim": 1}),
        ("transposed", s.tensor(2, 3, layout="transposed"), {"dim": -3}),
        ("int64", s.tensor(2, dtype=I64), {"dim": 1}),
    )
    s = Samples("flatten")
    yield from rows(
        "flatten",
        torch.flatten,
        ("all", s.tensor(2, 3, 2), {}),
        ("keep the batch", s.tensor(2, 3, 2), {"start_dim": 1}),
        ("inner", s.tensor(2, 3, 2, 1), {"start_dim": 1, "end_dim": 2}),
        ("0-d becomes 1-d", s.tensor(), {}),
        ("empty", s.tensor(0, 3), {}),
        ("transposed", s.tensor(3, 2, layout="transposed"), {}),
        ("float64", s.tensor(2, 2, dtype=F64), {"start_dim": 0, "end_dim": -1}),
    )
    s = Samples("slice")
    part = lambda x, dim, start, stop, step: x[(slice(None),) * dim + (slice(start, stop, step),)]
    yield from rows(
        "slice",
        part,
        ("head", s.tensor(5, 2), {"dim": 0, "start": None, "stop": 3, "step": 1}),
        ("tail", s.tensor(5, 2), {"dim": 0, "start": -2, "stop": None, "step": 1}),
        ("columns by two", s.tensor(3, 5), {"dim": 1, "start": 1, "stop": None, "step": 2}),
        ("past the end", s.tensor(4), {"dim": 0, "start": 2, "stop": 99, "step": 1}),
        ("nothing", s.tensor(4, 2), {"dim": 0, "start": 3, "stop": 1, "step": 1}),
        ("all", s.tensor(2, 3), {"dim": 1, "start": None, "stop": None, "step": 1}),
        ("transposed", s.tensor(4, 3, layout="transposed"), {"dim": 0, "start": 1, "stop": 3, "step": 1}),
        ("sliced again", s.tensor(2, 6, layout="sliced"), {"dim": 1, "start": 0, "stop": 6, "step": 3}),
        ("float64", s.tensor(4, dtype=F64), {"dim": 0, "start": -3, "stop": -1, "step": 1}),
        ("int64", s.tensor(4, dtype=I64), {"dim": 0, "start": 1, "stop": 3, "step": 1}),
    )
    s = Samples("select")
    yield from rows(
        "select",
        torch.select,
        ("row", s.tensor(3, 4), {"dim": 0, "index": 1}),
        ("column", s.tensor(3, 4), {"dim": 1, "index": -1}),
        ("of a vector", s.tensor(3), {"dim": 0, "index": 2}),
        ("middle", s.tensor(2, 3, 2), {"dim": -2, "index": 0}),
        ("transposed", s.tensor(3, 4, layout="transposed"), {"dim": 0, "index": 2}),
        ("float64", s.tensor(2, 2, dtype=F64), {"dim": 0, "index": 0}),
        ("beside an empty dimension", s.tensor(2, 0), {"dim": 0, "index": 1}),
        ("bool", s.tensor(3, dtype=BOOL), {"dim": 0, "index": 0}),
    )
    s = Samples("flip")
    yield from rows(
        "flip",
        torch.flip,
        ("rows", s.tensor(3, 2), {"dims": [0]}),
        ("columns", s.tensor(3, 2), {"dims": [-1]}),
        ("both", s.tensor(2, 3), {"dims": [0, 1]}),
        ("none", s.tensor(2, 2), {"dims": []}),
        ("0-d", s.tensor(), {"dims": []}),
        ("empty", s.tensor(0, 2), {"dims": [0]}),
        ("transposed", s.tensor(3, 2, layout="transposed"), {"dims": [0]}),
        ("int64", s.tensor(4, dtype=I64), {"dims": [0]}),
    )


def joined():
    cat = lambda *tensors, dim: torch.cat(tensors, dim=dim)
    s = Samples("cat")
    for note, tensors, dim in [
        ("rows", [s.tensor(2, 3), s.tensor(1, 3)], 0),
        ("columns", [s.tensor(2, 1), s.tensor(2, 3), s.tensor(2, 2)], 1),
        ("last", [s.tensor(2, 2, 1), s.tensor(2, 2, 2)], -1),
        ("one", [s.tensor(3)], 0),
        ("an empty part", [s.tensor(2, 3), s.tensor(0, 3)], 0),
        ("a legacy empty vector", [s.tensor(0), s.tensor(2, 3)], 0),
        ("promotes", [s.tensor(2, dtype=I64), s.tensor(2)], 0),
        ("float64", [s.tensor(2, dtype=F64), s.tensor(1, dtype=F64)], 0),
        ("int64 and bool", [s.tensor(2, dtype=I64), s.tensor(2, dtype=BOOL)], 0),
        ("transposed", [s.tensor(2, 3, layout="transposed"), s.tensor(2, 3, layout="sliced")], 0),
    ]:
        yield case("cat", cat, tensors, {"dim": dim}, note)
    stack = lambda *tensors, dim: torch.stack(tensors, dim=dim)
    s = Samples("stack")
    for note, tensors, dim in [
        ("vectors", [s.tensor(3), s.tensor(3)], 0),
        ("as columns", [s.tensor(3), s.tensor(3), s.tensor(3)], 1),
        ("last", [s.tensor(2, 2), s.tensor(2, 2)], -1),
        ("0-d", [s.tensor(), s.tensor(), s.tensor()], 0),
        ("one", [s.tensor(2)], 0),
        ("empty", [s.tensor(0), s.tensor(0)], 0),
        ("float64", [s.tensor(2, dtype=F64), s.tensor(2, dtype=F64)], 0),
        ("transposed", [s.tensor(2, 3, layout="transposed"), s.tensor(2, 3)], 1),
        ("int64", [s.tensor(2, dtype=I64), s.tensor(2, dtype=I64)], 1),
    ]:
        yield case("stack", stack, tensors, {"dim": dim}, note)


FAMILIES = {"matmul": [products], "movement": [rearranged, joined]}
