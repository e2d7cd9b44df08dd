"""Indexing beyond the first floor: scatter and its reductions, adding and taking by index, masks,
and indexed assignment.

`setitem` is Python's `x[...] = value` on a copy of x: attrs["indices"] lists what stands between
the brackets as `index` does, the last input is the value, and the result is x afterwards.
"""

import torch

from .indexing import bools, ints
from .record import BOOL, F32, F64, I64, INF, NAN, U8, Samples, Scalar, Tensor, case, rows, vector


def scattered():
    s = Samples("scatter")
    yield from rows(
        "scatter",
        lambda x, index, src, dim: torch.scatter(x, dim, index, src),
        [
            ("vector", [s.tensor(4), ints([3], [0, 2, 3]), s.tensor(3)], {"dim": 0}),
            ("rows", [s.tensor(3, 2), ints([2, 2], [0, 2, 2, 1]), s.tensor(2, 2)], {"dim": 0}),
            ("columns", [s.tensor(2, 3), ints([2, 2], [0, 2, 1, 0]), s.tensor(2, 2)], {"dim": -1}),
            ("longer source", [s.tensor(3), ints([2], [2, 0]), s.tensor(2)], {"dim": 0}),
            ("float64", [s.tensor(3, dtype=F64), ints([2], [2, 0]), s.tensor(2, dtype=F64)], {"dim": 0}),
            ("int64", [s.tensor(3, dtype=I64), ints([2], [2, 0]), s.tensor(2, dtype=I64)], {"dim": 0}),
            ("0-d", [s.tensor(), ints([], [0]), s.tensor()], {"dim": 0}),
            ("nothing", [s.tensor(3), ints([0], []), s.tensor(0)], {"dim": 0}),
            (
                "transposed",
                [s.tensor(3, 2, layout="transposed"), ints([1, 2], [2, 0]), s.tensor(1, 2)],
                {"dim": 0},
            ),
        ],
    )
    yield from rows(
        "scatter",
        lambda x, index, value, dim: torch.scatter(x, dim, index, value),
        [
            ("value", [s.tensor(2, 3), ints([2, 1], [0, 2])], {"dim": 1, "value": 1.5}),
            ("value, repeats", [s.tensor(3), ints([3], [1, 1, 0])], {"dim": 0, "value": -1.0}),
            ("value, int64", [s.tensor(3, dtype=I64), ints([2], [1, 0])], {"dim": 0, "value": 9}),
        ],
    )
    for reduce in ["sum", "prod", "mean", "amax", "amin"]:
        s = Samples(f"scatter_reduce {reduce}")
        table = [
            ("vector", [s.tensor(3), ints([5], [0, 2, 2, 0, 2]), s.tensor(5)]),
            ("without itself", [s.tensor(3), ints([4], [0, 2, 2, 0]), s.tensor(4)], {"include_self": False}),
            ("rows", [s.tensor(2, 2), ints([3, 2], [0, 1, 1, 1, 0, 1]), s.tensor(3, 2)]),
            ("columns", [s.tensor(2, 2), ints([2, 3], [0, 1, 1, 1, 0, 1]), s.tensor(2, 3)], {"dim": 1}),
            ("float64", [s.tensor(2, dtype=F64), ints([3], [0, 1, 1]), s.tensor(3, dtype=F64)]),
            ("int64", [s.tensor(2, dtype=I64), ints([3], [0, 1, 1]), s.tensor(3, dtype=I64)]),
            ("nothing", [s.tensor(2), ints([0], []), s.tensor(0)]),
        ]
        if reduce in ("amax", "amin"):
            table += [
                ("ties share", [vector([1.0, 2.0]), ints([3], [0, 0, 1]), vector([1.0, 1.0, 5.0])]),
                ("nan wins", [vector([1.0, 2.0]), ints([2], [0, 1]), vector([NAN, INF])]),
            ]
        if reduce == "prod":
            table += [("a zero", [vector([2.0, 3.0]), ints([3], [0, 0, 1]), vector([0.0, 5.0, 0.0])])]
        table = [
            (f"{reduce}, {note}", inputs, {"dim": 0, "reduce": reduce, **(own[0] if own else {})})
            for note, inputs, *own in table
        ]
        scatter = lambda x, index, src, dim, reduce, include_self=True: torch.scatter_reduce(
            x, dim, index, src, reduce, include_self=include_self
        )
        yield from rows("scatter_reduce", scatter, table)


def by_index():
    add = lambda x, index, source, dim, alpha=1: torch.index_add(x, dim, index, source, alpha=alpha)
    s = Samples("index_add")
    yield from rows(
        "index_add",
        add,
        [
            ("rows", [s.tensor(3, 2), ints([2], [2, 0]), s.tensor(2, 2)], {"dim": 0}),
            ("columns", [s.tensor(2, 3), ints([2], [1, 1]), s.tensor(2, 2)], {"dim": 1}),
            ("repeats add up", [s.tensor(3), ints([4], [0, 0, 2, 0]), s.tensor(4)], {"dim": 0}),
            ("alpha", [s.tensor(3), ints([2], [1, 2]), s.tensor(2)], {"dim": 0, "alpha": -2.5}),
            ("float64", [s.tensor(2, dtype=F64), ints([2], [1, 1]), s.tensor(2, dtype=F64)], {"dim": 0}),
            (
                "int64",
                [s.tensor(3, dtype=I64), ints([2], [1, 1]), s.tensor(2, dtype=I64)],
                {"dim": 0, "alpha": 2},
            ),
            ("nothing", [s.tensor(3, 2), ints([0], []), s.tensor(0, 2)], {"dim": 0}),
            ("transposed", [s.tensor(3, 2, layout="transposed"), ints([1], [2]), s.tensor(1, 2)], {"dim": 0}),
        ],
    )
    s = Samples("index_copy")
    yield from rows(
        "index_copy",
        lambda x, index, source, dim: torch.index_copy(x, dim, index, source),
        [
            ("rows", [s.tensor(3, 2), ints([2], [2, 0]), s.tensor(2, 2)], {"dim": 0}),
            ("columns", [s.tensor(2, 3), ints([2], [1, 0]), s.tensor(2, 2)], {"dim": 1}),
            ("float64", [s.tensor(3, dtype=F64), ints([1], [1]), s.tensor(1, dtype=F64)], {"dim": 0}),
            ("int64", [s.tensor(3, dtype=I64), ints([1], [1]), s.tensor(1, dtype=I64)], {"dim": 0}),
            ("nothing", [s.tensor(3), ints([0], []), s.tensor(0)], {"dim": 0}),
            ("transposed", [s.tensor(3, 2, layout="transposed"), ints([1], [2]), s.tensor(1, 2)], {"dim": 0}),
        ],
    )
    s = Samples("index_fill")
    yield from rows(
        "index_fill",
        lambda x, index, dim, value: torch.index_fill(x, dim, index, value),
        [
            ("rows", [s.tensor(3, 2), ints([2], [2, 0])], {"dim": 0, "value": 1.5}),
            ("columns", [s.tensor(2, 3), ints([1], [1])], {"dim": -1, "value": 0.0}),
            ("float64", [s.tensor(3, dtype=F64), ints([1], [1])], {"dim": 0, "value": -INF}),
            ("int64", [s.tensor(3, dtype=I64), ints([1], [1])], {"dim": 0, "value": 4}),
            ("nothing", [s.tensor(3), ints([0], [])], {"dim": 0, "value": 1.0}),
            ("transposed", [s.tensor(3, 2, layout="transposed"), ints([1], [2])], {"dim": 0, "value": 2.0}),
        ],
    )
    s = Samples("take")
    yield from rows(
        "take",
        torch.take,
        [
            ("vector", [s.tensor(4), ints([2], [3, 0])]),
            ("matrix, flat", [s.tensor(2, 3), ints([2, 2], [5, 0, 2, 2])]),
            ("negative", [s.tensor(2, 3), ints([2], [-1, -6])]),
            ("0-d index", [s.tensor(3), ints([], [1])]),
            ("0-d source", [s.tensor(), ints([2], [0, 0])]),
            ("float64", [s.tensor(3, dtype=F64), ints([3], [1, 1, 0])]),
            ("int64", [s.tensor(3, dtype=I64), ints([1], [1])]),
            ("nothing", [s.tensor(3), ints([0], [])]),
            ("transposed", [s.tensor(3, 2, layout="transposed"), ints([3], [1, 2, 5])]),
        ],
    )
    s = Samples("take_along_dim")
    yield from rows(
        "take_along_dim",
        torch.take_along_dim,
        [
            ("columns", [s.tensor(2, 3), ints([2, 2], [0, 2, 1, 1])], {"dim": 1}),
            ("rows", [s.tensor(3, 2), ints([1, 2], [2, 0])], {"dim": 0}),
            ("indices broadcast", [s.tensor(2, 3), ints([1, 2], [0, 2])], {"dim": 1}),
            ("source broadcasts", [s.tensor(1, 3), ints([2, 2], [0, 2, 1, 1])], {"dim": 1}),
            ("flat", [s.tensor(2, 3), ints([2], [5, 0])]),
            ("float64", [s.tensor(3, dtype=F64), ints([3], [1, 1, 0])], {"dim": 0}),
            ("int64", [s.tensor(3, dtype=I64), ints([2], [1, 0])], {"dim": 0}),
            ("nothing", [s.tensor(2, 3), ints([2, 0], [])], {"dim": 1}),
            ("transposed", [s.tensor(3, 2, layout="transposed"), ints([3, 1], [1, 0, 1])], {"dim": 1}),
        ],
    )


def masks():
    s = Samples("masked_select")
    yield from rows(
        "masked_select",
        torch.masked_select,
        [
            ("vector", [s.tensor(4), bools([4], [1, 0, 0, 1])]),
            ("matrix", [s.tensor(2, 3), bools([2, 3], [1, 0, 1, 0, 0, 1])]),
            ("mask broadcasts", [s.tensor(2, 3), bools([3], [1, 0, 1])]),
            ("source broadcasts", [s.tensor(3), bools([2, 3], [1, 0, 1, 0, 0, 1])]),
            ("nothing", [s.tensor(3), bools([3], [0, 0, 0])]),
            ("0-d", [s.tensor(), bools([], [1])]),
            ("empty", [s.tensor(0, 2), bools([0, 2], [])]),
            ("float64", [s.tensor(3, dtype=F64), bools([3], [1, 1, 0])]),
            ("int64", [s.tensor(3, dtype=I64), bools([3], [1, 1, 0])]),
            ("transposed", [s.tensor(3, 2, layout="transposed"), bools([3, 2], [1, 0, 1, 1, 0, 0])]),
        ],
    )
    s = Samples("nonzero")
    plain = lambda shape, data, dtype=F32, **more: Tensor(dtype, shape, data, requires_grad=False, **more)
    yield from rows(
        "nonzero",
        torch.nonzero,
        [
            ("vector", plain([5], [0.0, 1.0, -0.0, NAN, -INF])),
            ("matrix", ints([2, 3], [0, 1, 2, 0, 0, 3])),
            ("bool", bools([2, 2], [1, 0, 0, 1])),
            ("nothing", ints([3], [0, 0, 0])),
            ("0-d, true", ints([], [2])),
            ("0-d, false", ints([], [0])),
            ("empty", ints([0, 2], [])),
            ("float64", plain([3], [0.0, 0.5, 0.0], F64)),
            ("uint8", vector([0, 3, 0], U8)),
            ("three dims", ints([2, 1, 2], [1, 0, 1, 1])),
            ("transposed", Tensor(I64, [3, 2], [0, 1, 2, 0, 0, 3], "transposed")),
        ],
    )
    s = Samples("masked_scatter")
    yield from rows(
        "masked_scatter",
        torch.masked_scatter,
        [
            ("vector", [s.tensor(4), bools([4], [1, 0, 0, 1]), s.tensor(3)]),
            ("matrix", [s.tensor(2, 3), bools([2, 3], [1, 0, 1, 0, 0, 1]), s.tensor(2, 2)]),
            ("mask broadcasts", [s.tensor(2, 3), bools([3], [1, 0, 1]), s.tensor(4)]),
            ("nothing", [s.tensor(2), bools([2], [0, 0]), s.tensor(0)]),
            ("float64", [s.tensor(3, dtype=F64), bools([3], [1, 1, 0]), s.tensor(2, dtype=F64)]),
            ("int64", [s.tensor(3, dtype=I64), bools([3], [1, 1, 0]), s.tensor(2, dtype=I64)]),
            (
                "transposed",
                [s.tensor(3, 2, layout="transposed"), bools([3, 2], [1, 0, 1, 1, 0, 0]), s.tensor(3)],
            ),
        ],
    )


def key(indices, tensors):
    """What stands between the brackets, as Python passes it."""
    simple = {"none": None, "ellipsis": ...}
    out = []
    for item in indices:
        if isinstance(item, str):
            out.append(simple[item])
        elif "tensor" in item:
            out.append(tensors[item["tensor"] - 1])
        else:
            out.append(slice(*item["slice"]) if "slice" in item else item["int"])
    return tuple(out)


def setitem(x, *rest, indices):
    *tensors, value = rest
    copy = x.clone()
    copy[key(indices, tensors)] = value
    return copy


def assignment():
    s = Samples("setitem")
    tensor, everything = {"tensor": 1}, {"slice": [None, None, None]}
    for note, inputs, indices in [
        ("int, number", [s.tensor(3), Scalar(9.5)], [{"int": 1}]),
        ("negative int, tensor", [s.tensor(3, 2), s.tensor(2)], [{"int": -1}]),
        ("slice, number", [s.tensor(5), Scalar(0)], [{"slice": [1, 4, 2]}]),
        ("slice, tensor", [s.tensor(4, 2), s.tensor(2, 2)], [{"slice": [None, 2, None]}]),
        ("slice, broadcast", [s.tensor(3, 4), s.tensor(1)], [everything, {"slice": [1, 3, None]}]),
        ("ellipsis", [s.tensor(2, 2, 3), s.tensor(2, 2)], ["ellipsis", {"int": 0}]),
        ("none", [s.tensor(2, 3), s.tensor(1, 2, 3)], ["none"]),
        ("everything", [s.tensor(2, 2), s.tensor()], ["ellipsis"]),
        ("integers", [s.tensor(4), ints([2], [3, 0]), s.tensor(2)], [tensor]),
        ("integers, rows", [s.tensor(3, 2), ints([2], [2, 0]), s.tensor(2, 2)], [tensor]),
        ("integers, number", [s.tensor(4), ints([3], [3, 0, 3]), Scalar(1.5)], [tensor]),
        ("integers, columns", [s.tensor(2, 4), ints([2], [3, 1]), s.tensor(2, 1)], [everything, tensor]),
        (
            "two integer tensors",
            [s.tensor(3, 3), ints([2], [0, 2]), ints([2], [1, 1]), s.tensor(2)],
            [tensor, {"tensor": 2}],
        ),
        ("mask, number", [s.tensor(2, 3), bools([2, 3], [1, 0, 1, 0, 0, 1]), Scalar(-1.0)], [tensor]),
        ("mask, tensor", [s.tensor(2, 3), bools([2, 3], [1, 0, 1, 0, 0, 1]), s.tensor(3)], [tensor]),
        ("mask, rows", [s.tensor(3, 2), bools([3], [1, 0, 1]), s.tensor(2)], [tensor]),
        ("mask that takes nothing", [s.tensor(3), bools([3], [0, 0, 0]), Scalar(7.0)], [tensor]),
        ("empty slice", [s.tensor(3), s.tensor(0)], [{"slice": [2, 1, None]}]),
        ("0-d", [s.tensor(), s.tensor()], ["ellipsis"]),
        ("float64", [s.tensor(3, dtype=F64), ints([2], [1, 0]), s.tensor(2, dtype=F64)], [tensor]),
        ("float64 into float32", [s.tensor(3), s.tensor(2, dtype=F64)], [{"slice": [0, 2, None]}]),
        ("float number into int64", [s.tensor(3, dtype=I64), Scalar(2.9)], [{"int": 0}]),
        ("number into bool", [s.tensor(3, dtype=BOOL), Scalar(2)], [{"slice": [0, 2, None]}]),
        ("number into uint8 wraps", [vector([1, 2, 3], U8), Scalar(255)], [{"int": 0}]),
        ("transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(2)], [{"int": 1}]),
        ("sliced", [s.tensor(2, 3, layout="sliced"), s.tensor(2)], [everything, {"int": 1}]),
    ]:
        yield case("setitem", setitem, inputs, {"indices": indices}, note)
    s = Samples("index_put")
    put = lambda x, index, value, accumulate: torch.index_put(x, (index,), value, accumulate)
    yield from rows(
        "index_put",
        put,
        [
            ("repeats add up", [s.tensor(3), ints([4], [0, 0, 2, 0]), s.tensor(4)], {"accumulate": True}),
            ("rows add up", [s.tensor(3, 2), ints([3], [1, 1, -1]), s.tensor(3, 2)], {"accumulate": True}),
            ("one value", [s.tensor(3), ints([3], [1, 1, 2]), s.tensor()], {"accumulate": True}),
            (
                "float64",
                [s.tensor(2, dtype=F64), ints([2], [1, 1]), s.tensor(2, dtype=F64)],
                {"accumulate": True},
            ),
            ("replaces", [s.tensor(3), ints([2], [2, 0]), s.tensor(2)], {"accumulate": False}),
            (
                "int64",
                [s.tensor(3, dtype=I64), ints([2], [1, 1]), s.tensor(2, dtype=I64)],
                {"accumulate": True},
            ),
            ("nothing", [s.tensor(3), ints([0], []), s.tensor(0)], {"accumulate": True}),
        ],
    )


FAMILIES = {"index2": [scattered, by_index, masks, assignment]}
