"""Picking and placing elements by index, by mask and by diagonal.

`index` is Python's `x[...]`: attrs["indices"] lists what stands between the brackets, where
{"tensor": k} is input k, {"slice": [start, stop, step]} a slice, {"int": i} a number, and the
strings "none" and "ellipsis" are themselves.
"""

import torch
import torch.nn.functional as F

from .record import BOOL, F32, F64, I64, INF, NAN, Samples, Tensor, case, vector


def ints(shape, data):
    return Tensor(I64, shape, data)


def bools(shape, data):
    return Tensor(BOOL, shape, [bool(value) for value in data])


def subscript(x, *tensors, indices):
    def one(item):
        if item == "none":
            return None
        if item == "ellipsis":
            return ...
        kind, value = next(iter(item.items()))
        return {"tensor": lambda: tensors[value - 1], "slice": lambda: slice(*value), "int": lambda: value}[
            kind
        ]()

    return x[tuple(one(item) for item in indices)]


def gathered():
    s = Samples("gather")
    gather = lambda x, index, dim: torch.gather(x, dim, index)
    for note, x, index, dim in [
        ("columns", s.tensor(2, 3), ints([2, 2], [0, 2, 1, 1]), 1),
        ("rows", s.tensor(3, 2), ints([2, 2], [0, 2, 1, 1]), 0),
        ("labels", s.tensor(4, 3), ints([4, 1], [2, 0, 1, 1]), -1),
        ("repeats add up", s.tensor(3), ints([5], [1, 1, 1, 0, 1]), 0),
        ("float64", s.tensor(2, 2, dtype=F64), ints([2, 1], [1, 0]), 1),
        ("int64", s.tensor(2, 2, dtype=I64), ints([2, 1], [1, 0]), 1),
        ("0-d", s.tensor(), ints([], [0]), 0),
        ("no indices", s.tensor(2, 3), ints([2, 0], []), 1),
        ("fewer rows than the source", s.tensor(3, 4), ints([1, 2], [3, 0]), 1),
        (
            "transposed",
            s.tensor(3, 4, layout="transposed"),
            Tensor(I64, [3, 2], [0, 3, 1, 2, 2, 2], "transposed"),
            1,
        ),
    ]:
        yield case("gather", gather, [x, index], {"dim": dim}, note)
    s = Samples("index_select")
    pick = lambda x, index, dim: torch.index_select(x, dim, index)
    for note, x, index, dim in [
        ("rows", s.tensor(4, 3), ints([2], [3, 0]), 0),
        ("columns", s.tensor(2, 4), ints([3], [1, 1, 2]), 1),
        ("repeats add up", s.tensor(3), ints([4], [2, 2, 2, 0]), 0),
        ("float64", s.tensor(3, 2, dtype=F64), ints([1], [1]), -2),
        ("bool", s.tensor(4, dtype=BOOL), ints([2], [0, 3]), 0),
        ("nothing", s.tensor(3, 2), ints([0], []), 0),
        ("sliced", s.tensor(2, 4, layout="sliced"), ints([2], [3, 1]), 1),
    ]:
        yield case("index_select", pick, [x, index], {"dim": dim}, note)
    s = Samples("embedding")
    for note, weight, index in [
        ("vector", s.tensor(5, 3), ints([3], [4, 0, 4])),
        ("matrix", s.tensor(4, 2), ints([2, 3], [0, 1, 2, 3, 3, 3])),
        ("0-d", s.tensor(4, 2), ints([], [1])),
        ("float64", s.tensor(3, 2, dtype=F64), ints([2], [2, 1])),
        ("nothing", s.tensor(3, 2), ints([0], [])),
        ("transposed table", s.tensor(4, 3, layout="transposed"), ints([2], [3, 3])),
    ]:
        yield case("embedding", F.embedding, [index, weight], note=note)


def subscripts():
    s = Samples("index")
    tensor, everything = {"tensor": 1}, {"slice": [None, None, None]}
    for note, inputs, indices in [
        ("integer rows", [s.tensor(4, 3), ints([2], [2, 0])], [tensor]),
        ("negative integers", [s.tensor(4, 3), ints([3], [-1, 0, -4])], [tensor]),
        ("repeats add up", [s.tensor(3), ints([4], [1, 1, 0, 1])], [tensor]),
        ("matrix of integers", [s.tensor(4, 2), ints([2, 2], [0, 1, 3, 3])], [tensor]),
        (
            "two tensors pair up",
            [s.tensor(3, 4), ints([3], [0, 1, 2]), ints([3], [3, 0, 3])],
            [tensor, {"tensor": 2}],
        ),
        (
            "two tensors broadcast",
            [s.tensor(3, 4), ints([2, 1], [0, 2]), ints([3], [3, 0, 1])],
            [tensor, {"tensor": 2}],
        ),
        ("after a slice", [s.tensor(3, 4), ints([2], [3, 1])], [everything, tensor]),
        (
            "slice between two tensors",
            [s.tensor(3, 2, 4), ints([2], [0, 2]), ints([2], [1, 3])],
            [tensor, everything, {"tensor": 2}],
        ),
        (
            "adjacent tensors stay in place",
            [s.tensor(2, 3, 4), ints([2], [0, 2]), ints([2], [1, 3])],
            [everything, tensor, {"tensor": 2}],
        ),
        ("with an int", [s.tensor(2, 3, 4), ints([2], [0, 3])], [{"int": 1}, everything, tensor]),
        ("with ellipsis", [s.tensor(2, 3, 4), ints([2], [0, 3])], ["ellipsis", tensor]),
        ("with none", [s.tensor(3, 2), ints([2], [0, 2])], [tensor, "none"]),
        ("0-d index", [s.tensor(3, 2), ints([], [1])], [tensor]),
        ("mask of the same shape", [s.tensor(2, 3), bools([2, 3], [1, 0, 1, 0, 0, 1])], [tensor]),
        ("mask of rows", [s.tensor(3, 2), bools([3], [1, 0, 1])], [tensor]),
        ("mask of columns", [s.tensor(2, 3), bools([3], [0, 1, 1])], [everything, tensor]),
        ("mask that takes nothing", [s.tensor(2, 3), bools([2, 3], [0] * 6)], [tensor]),
        (
            "mask with integers",
            [s.tensor(3, 4), bools([3], [1, 0, 1]), ints([2], [3, 0])],
            [tensor, {"tensor": 2}],
        ),
        ("no indices", [s.tensor(3, 2), ints([0], [])], [tensor]),
        ("float64", [s.tensor(4, dtype=F64), ints([2], [3, 3])], [tensor]),
        ("int64 source", [s.tensor(4, dtype=I64), ints([2], [3, 0])], [tensor]),
        ("transposed", [s.tensor(3, 4, layout="transposed"), ints([2], [2, 0])], [tensor]),
        ("ints and slices only", [s.tensor(4, 5, 3)], [{"int": -1}, {"slice": [1, None, 2]}]),
        ("ellipsis, int and none", [s.tensor(2, 3, 4)], ["none", "ellipsis", {"int": 2}]),
    ]:
        yield case("index", subscript, inputs, {"indices": indices}, note)


def placed():
    s = Samples("masked_fill")
    for note, x, mask, value in [
        ("same shape", s.tensor(2, 3), bools([2, 3], [1, 0, 1, 0, 0, 1]), 0.0),
        ("row mask", s.tensor(3, 2), bools([2], [1, 0]), -1.5),
        ("column mask", s.tensor(3, 2), bools([3, 1], [1, 0, 1]), 9),
        ("minus infinity", s.tensor(2, 2), bools([2, 2], [0, 1, 0, 0]), "-inf"),
        ("float64", s.tensor(3, dtype=F64), bools([3], [0, 1, 1]), 0.1),
        ("int64", s.tensor(3, dtype=I64), bools([3], [0, 1, 1]), 7),
        ("bool", s.tensor(3, dtype=BOOL), bools([3], [0, 1, 1]), True),
        ("nan replaced", vector([NAN, 1.0, INF]), bools([3], [1, 0, 1]), 0.0),
        ("0-d mask", s.tensor(2), bools([], [1]), 3.0),
        ("empty", s.tensor(0, 2), bools([2], [1, 0]), 1.0),
        ("transposed", s.tensor(3, 2, layout="transposed"), bools([3, 2], [1, 0, 0, 1, 1, 0]), 0.5),
    ]:
        fill = lambda x, mask, value: x.masked_fill(mask, float(value) if isinstance(value, str) else value)
        yield case("masked_fill", fill, [x, mask], {"value": value}, note)
    s = Samples("scatter_add")
    scatter = lambda x, index, source, dim: x.scatter_add(dim, index, source)
    for note, x, index, source, dim in [
        ("vector", s.tensor(4), ints([3], [0, 2, 3]), s.tensor(3), 0),
        ("repeats add up", s.tensor(3), ints([5], [1, 1, 0, 1, 2]), s.tensor(5), 0),
        ("rows", s.tensor(3, 2), ints([2, 2], [0, 2, 2, 2]), s.tensor(2, 2), 0),
        ("columns", s.tensor(2, 3), ints([2, 2], [0, 2, 1, 1]), s.tensor(2, 2), 1),
        ("longer source", s.tensor(2, 3), ints([1, 2], [0, 2]), s.tensor(2, 3, requires_grad=False), 1),
        ("float64", s.tensor(3, dtype=F64), ints([2], [0, 0]), s.tensor(2, dtype=F64), -1),
        ("int64", s.tensor(3, dtype=I64), ints([2], [2, 2]), s.tensor(2, dtype=I64), 0),
        ("nothing", s.tensor(3), ints([0], []), s.tensor(0), 0),
        (
            "transposed",
            s.tensor(3, 2, layout="transposed"),
            ints([2, 2], [0, 1, 2, 1]),
            s.tensor(2, 2, layout="transposed"),
            0,
        ),
    ]:
        yield case("scatter_add", scatter, [x, index, source], {"dim": dim}, note)
    for note, index, n in [
        ("vector", ints([4], [0, 2, 1, 2]), 3),
        ("counted from the data", ints([3], [0, 3, 1]), -1),
        ("matrix", ints([2, 2], [0, 1, 1, 0]), 4),
        ("0-d", ints([], [1]), 2),
        ("nothing", ints([0], []), 3),
        ("transposed", Tensor(I64, [2, 2], [0, 1, 2, 0], "transposed"), 3),
    ]:
        yield case("one_hot", F.one_hot, [index], {"num_classes": n}, note)
    for op, function in {"tril": torch.tril, "triu": torch.triu}.items():
        s = Samples(op)
        for note, x, diagonal in [
            ("square", s.tensor(3, 3), 0),
            ("wide", s.tensor(2, 4), 0),
            ("tall", s.tensor(4, 2), 0),
            ("above", s.tensor(3, 3), 1),
            ("below", s.tensor(3, 3), -1),
            ("outside", s.tensor(2, 2), 5),
            ("batch", s.tensor(2, 2, 3), 0),
            ("float64", s.tensor(2, 2, dtype=F64), 0),
            ("bool", s.tensor(3, 3, dtype=BOOL), 0),
            ("nan is dropped", Tensor(F32, [2, 2], [NAN, NAN, NAN, INF]), 0),
            ("empty", s.tensor(0, 3), 0),
            ("transposed", s.tensor(3, 3, layout="transposed"), 0),
        ]:
            yield case(op, function, [x], {"diagonal": diagonal}, note)


FAMILIES = {"indexing": [gathered, subscripts, placed]}
