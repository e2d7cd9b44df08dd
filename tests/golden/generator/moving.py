"""Movement beyond the first floor: views, repetition, splitting, diagonals, padding, grids.

Ops that return several tensors record all of them; the gradient flows from the first unless
`grad_of` says otherwise.
"""

import torch
import torch.nn.functional as F

from .record import BOOL, F64, I64, INF, NAN, U8, Samples, case, rows, vector


def views():
    s = Samples("view")
    yield from rows(
        "view",
        lambda x, shape: x.view(shape),
        [
            ("matrix", s.tensor(2, 6), {"shape": [3, 4]}),
            ("inferred", s.tensor(2, 6), {"shape": [-1, 3]}),
            ("0-d", s.tensor(), {"shape": [1, 1]}),
            ("to 0-d", s.tensor(1), {"shape": []}),
            ("empty", s.tensor(0, 3), {"shape": [3, 0, 2]}),
            ("float64", s.tensor(2, 2, dtype=F64), {"shape": [4]}),
            ("transposed, splits a dimension", s.tensor(4, 3, layout="transposed"), {"shape": [2, 2, 3]}),
            ("sliced, adds a dimension", s.tensor(2, 4, layout="sliced"), {"shape": [2, 1, 4]}),
            ("int64", s.tensor(6, dtype=I64), {"shape": [2, 3]}),
        ],
    )
    s = Samples("unflatten")
    yield from rows(
        "unflatten",
        torch.unflatten,
        [
            ("first", s.tensor(6, 2), {"dim": 0, "sizes": [2, 3]}),
            ("inferred", s.tensor(2, 6), {"dim": -1, "sizes": [-1, 2]}),
            ("into three", s.tensor(8), {"dim": 0, "sizes": [2, 2, 2]}),
            ("float64", s.tensor(4, dtype=F64), {"dim": 0, "sizes": [2, 2]}),
            ("empty", s.tensor(0, 3), {"dim": 0, "sizes": [0, 2]}),
            ("transposed", s.tensor(4, 3, layout="transposed"), {"dim": 0, "sizes": [2, 2]}),
            ("int64", s.tensor(4, dtype=I64), {"dim": 0, "sizes": [4, 1]}),
        ],
    )
    s = Samples("swapaxes")
    yield from rows(
        "swapaxes",
        torch.swapaxes,
        [
            ("matrix", s.tensor(2, 3), {"axis0": 0, "axis1": 1}),
            ("negative", s.tensor(2, 3, 4), {"axis0": -1, "axis1": 0}),
            ("0-d", s.tensor(), {"axis0": 0, "axis1": -1}),
            ("empty", s.tensor(0, 3), {"axis0": 0, "axis1": 1}),
            ("float64", s.tensor(2, 2, dtype=F64), {"axis0": 0, "axis1": 1}),
            ("transposed", s.tensor(3, 2, layout="transposed"), {"axis0": 0, "axis1": 1}),
        ],
    )
    s = Samples("movedim")
    yield from rows(
        "movedim",
        torch.movedim,
        [
            ("one", s.tensor(2, 3, 4), {"source": 0, "destination": 2}),
            ("two", s.tensor(2, 3, 4), {"source": [0, 1], "destination": [1, 2]}),
            ("negative", s.tensor(2, 3, 4), {"source": -1, "destination": 0}),
            ("0-d", s.tensor(), {"source": 0, "destination": -1}),
            ("empty", s.tensor(0, 3), {"source": 0, "destination": 1}),
            ("float64", s.tensor(2, 3, 1, dtype=F64), {"source": 2, "destination": 0}),
            ("transposed", s.tensor(2, 3, 2, layout="transposed"), {"source": 0, "destination": 1}),
        ],
    )
    for op in ["T", "mT"]:
        s = Samples(op)
        table = [
            ("matrix", s.tensor(2, 3)),
            ("square", s.tensor(2, 2)),
            ("float64", s.tensor(3, 2, dtype=F64)),
            ("empty", s.tensor(0, 3)),
            ("sliced", s.tensor(3, 2, layout="sliced")),
            ("transposed back", s.tensor(3, 2, layout="transposed")),
            ("bool", s.tensor(2, 3, dtype=BOOL)),
            ("vector", s.tensor(3)) if op == "T" else ("batch", s.tensor(2, 3, 2)),
        ]
        if op == "T":
            table += [("0-d", s.tensor())]
        yield from rows(op, lambda x, op=op: getattr(x, op), table)
    s = Samples("as_strided")
    yield from rows(
        "as_strided",
        torch.as_strided,
        [
            ("matrix", s.tensor(6), {"size": [2, 3], "stride": [3, 1]}),
            ("offset", s.tensor(6), {"size": [2, 2], "stride": [2, 1], "storage_offset": 1}),
            ("overlap adds up", s.tensor(5), {"size": [3, 3], "stride": [1, 1]}),
            ("a column", s.tensor(2, 3), {"size": [2], "stride": [3], "storage_offset": 2}),
            ("stride zero", s.tensor(3), {"size": [2, 3], "stride": [0, 1]}),
            ("float64", s.tensor(4, dtype=F64), {"size": [2, 2], "stride": [1, 2]}),
            ("0-d", s.tensor(), {"size": [2], "stride": [0]}),
            ("empty", s.tensor(3), {"size": [0, 3], "stride": [1, 1]}),
            ("int64", s.tensor(4, dtype=I64), {"size": [3, 2], "stride": [1, 1]}),
        ],
    )
    s = Samples("broadcast_to")
    yield from rows(
        "broadcast_to",
        lambda x, size: torch.broadcast_to(x, size),
        [
            ("row", s.tensor(3), {"size": [2, 3]}),
            ("column", s.tensor(2, 1), {"size": [2, 3]}),
            ("0-d", s.tensor(), {"size": [2, 2]}),
            ("keep", s.tensor(2, 1), {"size": [3, -1, 2]}),
            ("float64", s.tensor(1, dtype=F64), {"size": [3]}),
            ("to nothing", s.tensor(1, 2), {"size": [0, 2]}),
            ("transposed", s.tensor(3, 2, layout="transposed"), {"size": [2, 3, 2]}),
        ],
    )


def repetition():
    for op, function, key in [
        ("repeat", lambda x, repeats: x.repeat(repeats), "repeats"),
        ("tile", torch.tile, "dims"),
    ]:
        s = Samples(op)
        table = [
            ("rows", s.tensor(2, 3), {key: [2, 1]}),
            ("columns", s.tensor(2, 2), {key: [1, 3]}),
            ("new dimension", s.tensor(3), {key: [2, 2]}),
            ("0-d", s.tensor(), {key: [3]}),
            ("0-d, no repeats", s.tensor(), {key: []}),
            ("zero times", s.tensor(2, 2), {key: [0, 1]}),
            ("empty", s.tensor(0, 2), {key: [2, 2]}),
            ("float64", s.tensor(2, dtype=F64), {key: [3]}),
            ("transposed", s.tensor(2, 3, layout="transposed"), {key: [1, 2]}),
            ("int64", s.tensor(2, dtype=I64), {key: [2]}),
        ]
        if op == "tile":
            table += [("fewer dims", s.tensor(2, 2), {key: [2]})]
        yield from rows(op, function, table)
    s = Samples("repeat_interleave")
    yield from rows(
        "repeat_interleave",
        torch.repeat_interleave,
        [
            ("number, flat", s.tensor(2, 3), {"repeats": 2}),
            ("number, rows", s.tensor(2, 2), {"repeats": 3, "dim": 0}),
            ("number, columns", s.tensor(2, 3), {"repeats": 2, "dim": -1}),
            ("tensor", [s.tensor(3), vector([1, 0, 2], I64)]),
            ("tensor, rows", [s.tensor(2, 2), vector([2, 1], I64)], {"dim": 0}),
            ("tensor, columns", [s.tensor(2, 3), vector([1, 0, 2], I64)], {"dim": 1}),
            ("zero times", s.tensor(2), {"repeats": 0}),
            ("0-d", s.tensor(), {"repeats": 2}),
            ("empty", s.tensor(0, 2), {"repeats": 2, "dim": 0}),
            ("float64", [s.tensor(2, dtype=F64), vector([2, 3], I64)], {"dim": 0}),
            ("transposed", s.tensor(2, 3, layout="transposed"), {"repeats": 2, "dim": 1}),
        ],
    )
    s = Samples("roll")
    yield from rows(
        "roll",
        torch.roll,
        [
            ("flat", s.tensor(2, 3), {"shifts": 1}),
            ("rows", s.tensor(3, 2), {"shifts": 1, "dims": 0}),
            ("back, columns", s.tensor(2, 3), {"shifts": -1, "dims": 1}),
            ("both", s.tensor(2, 3), {"shifts": [1, 2], "dims": [0, 1]}),
            ("around more than once", s.tensor(4), {"shifts": 9, "dims": 0}),
            ("0-d", s.tensor(), {"shifts": 3}),
            ("empty", s.tensor(0, 2), {"shifts": 1, "dims": 0}),
            ("float64", s.tensor(4, dtype=F64), {"shifts": 2}),
            ("transposed", s.tensor(3, 2, layout="transposed"), {"shifts": 1, "dims": 1}),
        ],
    )
    s = Samples("rot90")
    yield from rows(
        "rot90",
        torch.rot90,
        [
            ("once", s.tensor(2, 3), {"k": 1, "dims": [0, 1]}),
            ("twice", s.tensor(2, 3), {"k": 2, "dims": [0, 1]}),
            ("back", s.tensor(2, 3), {"k": -1, "dims": [0, 1]}),
            ("all round", s.tensor(2, 2), {"k": 4, "dims": [0, 1]}),
            ("other way", s.tensor(2, 2, 2), {"k": 3, "dims": [2, 0]}),
            ("float64", s.tensor(2, 2, dtype=F64), {"k": 1, "dims": [1, 0]}),
            ("empty", s.tensor(0, 2), {"k": 1, "dims": [0, 1]}),
            ("transposed", s.tensor(3, 2, layout="transposed"), {"k": 1, "dims": [0, 1]}),
        ],
    )


def parts():
    s = Samples("split")
    split = lambda x, split_size_or_sections, dim=0: torch.split(x, split_size_or_sections, dim)
    table = [
        ("by two", s.tensor(5, 2), {"split_size_or_sections": 2}),
        ("sections", s.tensor(2, 6), {"split_size_or_sections": [1, 3, 2], "dim": 1}),
        ("an empty section", s.tensor(3), {"split_size_or_sections": [0, 3]}),
        ("larger than the dimension", s.tensor(2, 2), {"split_size_or_sections": 9}),
        ("float64", s.tensor(4, dtype=F64), {"split_size_or_sections": 2}),
        ("empty", s.tensor(0, 2), {"split_size_or_sections": 2}),
        ("transposed", s.tensor(4, 3, layout="transposed"), {"split_size_or_sections": 2, "dim": -1}),
        ("int64", s.tensor(3, dtype=I64), {"split_size_or_sections": 1}),
    ]
    yield from rows("split", split, table)
    yield case(
        "split", split, [s.tensor(5)], {"split_size_or_sections": 2}, "gradient of the last", grad_of=2
    )
    s = Samples("chunk")
    table = [
        ("even", s.tensor(4, 2), {"chunks": 2}),
        ("uneven", s.tensor(5), {"chunks": 3}),
        ("fewer than asked", s.tensor(5), {"chunks": 4}),
        ("columns", s.tensor(2, 5), {"chunks": 2, "dim": 1}),
        ("float64", s.tensor(4, dtype=F64), {"chunks": 2}),
        ("empty", s.tensor(0, 2), {"chunks": 2}),
        ("transposed", s.tensor(4, 3, layout="transposed"), {"chunks": 3, "dim": 1}),
    ]
    yield from rows("chunk", torch.chunk, table)
    yield case("chunk", torch.chunk, [s.tensor(5)], {"chunks": 2}, "gradient of the last", grad_of=1)
    s = Samples("unbind")
    table = [
        ("rows", s.tensor(3, 2), {}),
        ("columns", s.tensor(2, 3), {"dim": 1}),
        ("vector to 0-d", s.tensor(3), {}),
        ("last of three", s.tensor(2, 2, 2), {"dim": -1}),
        ("float64", s.tensor(2, 2, dtype=F64), {}),
        ("empty parts", s.tensor(2, 0), {}),
        ("transposed", s.tensor(3, 2, layout="transposed"), {}),
    ]
    yield from rows("unbind", torch.unbind, table)
    yield case("unbind", torch.unbind, [s.tensor(3, 2)], {}, "gradient of the second", grad_of=1)
    s = Samples("narrow")
    yield from rows(
        "narrow",
        torch.narrow,
        [
            ("rows", s.tensor(4, 2), {"dim": 0, "start": 1, "length": 2}),
            ("from the end", s.tensor(2, 4), {"dim": -1, "start": -3, "length": 2}),
            ("nothing", s.tensor(3), {"dim": 0, "start": 3, "length": 0}),
            ("float64", s.tensor(4, dtype=F64), {"dim": 0, "start": 0, "length": 4}),
            ("empty", s.tensor(0, 2), {"dim": 1, "start": 1, "length": 1}),
            ("transposed", s.tensor(4, 3, layout="transposed"), {"dim": 0, "start": 1, "length": 2}),
            ("int64", s.tensor(4, dtype=I64), {"dim": 0, "start": 1, "length": 2}),
        ],
    )


def diagonals():
    for op, function in {"diagonal": torch.diagonal, "diag": torch.diag}.items():
        s = Samples(op)
        key = "offset" if op == "diagonal" else "diagonal"
        table = [
            ("square", s.tensor(3, 3), {}),
            ("wide", s.tensor(2, 4), {key: 1}),
            ("tall", s.tensor(4, 2), {key: -1}),
            ("outside", s.tensor(2, 2), {key: 2}),
            ("float64", s.tensor(2, 3, dtype=F64), {}),
            ("empty", s.tensor(0, 3), {}),
            ("transposed", s.tensor(3, 4, layout="transposed"), {key: 1}),
            ("int64", s.tensor(2, 2, dtype=I64), {}),
        ]
        if op == "diag":
            table += [
                ("of a vector", s.tensor(3), {}),
                ("of a vector, above", s.tensor(2), {key: 1}),
                ("of a vector, below", s.tensor(2), {key: -2}),
                ("of a vector, float64", s.tensor(2, dtype=F64), {}),
                ("of an empty vector", s.tensor(0), {}),
            ]
        else:
            table += [
                ("batch", s.tensor(2, 3, 3), {"offset": 0, "dim1": 1, "dim2": 2}),
                ("other dims", s.tensor(2, 3, 2), {"offset": 1, "dim1": 2, "dim2": 1}),
            ]
        yield from rows(op, function, table)
    s = Samples("diag_embed")
    yield from rows(
        "diag_embed",
        torch.diag_embed,
        [
            ("vector", s.tensor(3), {}),
            ("batch", s.tensor(2, 2), {}),
            ("above", s.tensor(2), {"offset": 1}),
            ("first dims", s.tensor(2, 3), {"dim1": 0, "dim2": 2}),
            ("float64", s.tensor(2, dtype=F64), {"offset": -1}),
            ("empty", s.tensor(0), {}),
            ("transposed", s.tensor(2, 3, layout="transposed"), {}),
        ],
    )
    s = Samples("tensor_unfold")
    yield from rows(
        "tensor_unfold",
        lambda x, dimension, size, step: x.unfold(dimension, size, step),
        [
            ("overlap adds up", s.tensor(6), {"dimension": 0, "size": 3, "step": 1}),
            ("steps", s.tensor(7), {"dimension": 0, "size": 2, "step": 2}),
            ("gaps", s.tensor(7), {"dimension": 0, "size": 2, "step": 3}),
            ("rows", s.tensor(4, 2), {"dimension": 0, "size": 2, "step": 1}),
            ("columns", s.tensor(2, 5), {"dimension": -1, "size": 2, "step": 2}),
            ("float64", s.tensor(4, dtype=F64), {"dimension": 0, "size": 2, "step": 1}),
            ("0-d", s.tensor(), {"dimension": 0, "size": 1, "step": 1}),
            ("empty", s.tensor(0, 3), {"dimension": 1, "size": 2, "step": 1}),
            ("transposed", s.tensor(4, 3, layout="transposed"), {"dimension": 1, "size": 2, "step": 1}),
        ],
    )


def padding():
    s = Samples("pad")
    constant = [
        ("last", s.tensor(2, 3), {"pad": [1, 2]}),
        ("two dims", s.tensor(2, 2), {"pad": [1, 0, 0, 2], "value": 1.5}),
        ("negative crops", s.tensor(2, 4), {"pad": [-1, -1]}),
        ("negative and positive", s.tensor(2, 3), {"pad": [-1, 2, 1, -1], "value": -2.0}),
        ("infinity", s.tensor(2), {"pad": [1, 1], "value": -INF}),
        ("nothing", s.tensor(2, 2), {"pad": [0, 0]}),
        ("float64", s.tensor(3, dtype=F64), {"pad": [1, 1]}),
        ("int64", s.tensor(3, dtype=I64), {"pad": [1, 1], "value": 7}),
        ("bool", s.tensor(3, dtype=BOOL), {"pad": [0, 2], "value": True}),
        ("empty", s.tensor(0, 2), {"pad": [1, 1, 1, 1]}),
        ("transposed", s.tensor(2, 3, layout="transposed"), {"pad": [1, 0]}),
        ("three dims", s.tensor(1, 2, 2), {"pad": [1, 0, 0, 1, 1, 0]}),
        ("nan inside", vector([NAN, INF]), {"pad": [1, 1]}),
    ]
    yield from rows("pad", lambda x, pad, value=None: F.pad(x, pad, "constant", value), constant)
    for mode in ["reflect", "replicate", "circular"]:
        s = Samples(f"pad {mode}")
        table = [
            ("vector", s.tensor(1, 4), {"pad": [2, 1]}),
            ("batch", s.tensor(2, 1, 3), {"pad": [1, 2]}),
            ("plane", s.tensor(1, 3, 3), {"pad": [1, 1, 2, 1]}),
            ("planes", s.tensor(2, 1, 2, 3), {"pad": [1, 1, 1, 0]}),
            ("float64", s.tensor(1, 3, dtype=F64), {"pad": [1, 1]}),
            ("transposed", s.tensor(2, 3, layout="transposed"), {"pad": [2, 0]}),
        ]
        if mode == "circular":
            table = [(n, x, a) for n, x, a in table if len(x.shape) * 2 > len(a["pad"])]
        if mode == "replicate":
            table += [("wider than the data", s.tensor(1, 2), {"pad": [3, 3]})]
        table = [(f"{mode}, {note}", x, {**attrs, "mode": mode}) for note, x, attrs in table]
        yield from rows("pad", F.pad, table)


def grids():
    s = Samples("meshgrid")
    grid = lambda *tensors, indexing: torch.meshgrid(*tensors, indexing=indexing)
    table = [
        ("two", [s.tensor(2), s.tensor(3)]),
        ("one", [s.tensor(3)]),
        ("three", [s.tensor(2), s.tensor(1), s.tensor(3)]),
        ("0-d", [s.tensor(), s.tensor(2)]),
        ("empty", [s.tensor(0), s.tensor(2)]),
        ("float64", [s.tensor(2, dtype=F64), s.tensor(2, dtype=F64)]),
        ("int64", [s.tensor(2, dtype=I64), s.tensor(3, dtype=I64)]),
    ]
    for indexing in ["ij", "xy"]:
        yield from rows("meshgrid", grid, [(f"{indexing}, {n}", x, {"indexing": indexing}) for n, x in table])
    again = [s.tensor(2), s.tensor(3)]
    yield case("meshgrid", grid, again, {"indexing": "ij"}, "gradient of the second", grad_of=1)
    s = Samples("block_diag")
    yield from rows(
        "block_diag",
        torch.block_diag,
        [
            ("two", [s.tensor(2, 2), s.tensor(1, 3)]),
            ("one", [s.tensor(2, 3)]),
            ("vector and 0-d", [s.tensor(2), s.tensor(), s.tensor(2, 1)]),
            ("float64", [s.tensor(1, 2, dtype=F64), s.tensor(2, 1, dtype=F64)]),
            ("promotes", [s.tensor(1, 2), s.tensor(1, 1, dtype=F64), s.tensor(1, 1, dtype=I64)]),
            ("empty", [s.tensor(0, 2), s.tensor(1, 1)]),
            ("transposed", [s.tensor(2, 3, layout="transposed"), s.tensor(1, 1)]),
        ],
    )
    for op in ["hstack", "vstack"]:
        s = Samples(op)
        yield from rows(
            op,
            lambda *tensors, op=op: getattr(torch, op)(tensors),
            [
                ("vectors", [s.tensor(2), s.tensor(2)]),
                ("matrices", [s.tensor(2, 2), s.tensor(2, 2)]),
                ("0-d", [s.tensor(), s.tensor()]),
                ("float64", [s.tensor(2, dtype=F64), s.tensor(2, dtype=F64)]),
                ("empty", [s.tensor(0), s.tensor(0)]),
                ("transposed", [s.tensor(2, 3, layout="transposed"), s.tensor(2, 3)]),
                ("uint8", [vector([1, 2], U8), vector([3, 4], U8)]),
            ],
        )


FAMILIES = {"movement2": [views, repetition, parts, diagonals, padding, grids]}
