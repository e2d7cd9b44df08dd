"""Scans, order and counts in every dtype, what the tables of scan.py and sorting.py leave out, and
the exceptions of calls that cannot be.
"""

import torch

from .record import (
    ALL_DTYPES,
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I32,
    I64,
    INF,
    NAN,
    U8,
    U64,
    Samples,
    Tensor,
    case,
    possible,
    rows,
    vector,
)

SEVERAL = [3.0, 1.0, 7.0, 0.0, 5.0]


def every_dtype():
    calls = {
        "cumsum": (torch.cumsum, {"dim": 0}),
        "cumprod": (torch.cumprod, {"dim": 0}),
        "cummax": (torch.cummax, {"dim": 0}),
        "cummin": (torch.cummin, {"dim": 0}),
        "sort": (torch.sort, {"stable": True}),
        "argsort": (torch.argsort, {"stable": True, "descending": True}),
        "topk": (torch.topk, {"k": 2}),
        "kthvalue": (torch.kthvalue, {"k": 3}),
        "median": (torch.median, {"dim": 0}),
        "mode": (torch.mode, {}),
        "unique": (torch.unique, {"return_inverse": True, "return_counts": True}),
        "count_nonzero": (torch.count_nonzero, {}),
        "aminmax": (torch.aminmax, {}),
        "any": (torch.any, {}),
        "all": (torch.all, {"dim": 0}),
    }
    for op, (function, attrs) in calls.items():
        for dtype in ALL_DTYPES:
            data = [x > 2 for x in SEVERAL] if dtype == BOOL else SEVERAL
            if dtype not in [F16, BF16, F32, F64, BOOL]:
                data = [int(x) for x in data]
            made = possible(lambda: case(op, function, [vector(data, dtype)], attrs, dtype))
            if made:
                yield made
    large = vector([2**63 + 5, 3, 2**64 - 1, 2**63 - 1], U64)
    for op in ["sort", "unique"]:
        yield case(op, getattr(torch, op), [large], {}, "uint64 beyond int64")
    for dtype in ALL_DTYPES[1:]:
        sorted_sequence, values = vector([1, 3, 5, 7], dtype), vector([0, 3, 4, 9], dtype)
        for op, inputs in {
            "searchsorted": [sorted_sequence, values],
            "bucketize": [values, sorted_sequence],
        }.items():
            made = possible(lambda: case(op, getattr(torch, op), inputs, {"right": True}, dtype))
            if made:
                yield made


def statistics():
    s = Samples("nanmedian")
    for op, function in {"median": torch.median, "nanmedian": torch.nanmedian}.items():
        yield from rows(
            op,
            function,
            [
                ("no nan", s.tensor(5)),
                ("even", s.tensor(2, 3)),
                ("nans", vector([3.0, NAN, 1.0, NAN, 2.0])),
                ("only nans", vector([NAN, NAN])),
                ("int64", vector([4, 1, 9], I64)),
                ("empty", vector([])),
                ("along, no nan", s.tensor(3, 5), {"dim": 1}),
                ("along, nans", Tensor(F32, [2, 3], [NAN, 2.0, 1.0, 4.0, 5.0, NAN]), {"dim": 1}),
                ("along, kept", s.tensor(3, 5), {"dim": 0, "keepdim": True}),
                ("along, float64", s.tensor(2, 4, dtype=F64), {"dim": -1}),
            ],
        )
    s = Samples("mode")
    yield from rows(
        "mode",
        torch.mode,
        [
            ("one winner", vector([1.0, 2.0, 3.0, 2.0])),
            ("ties", vector([4.0, 2.0, 4.0, 2.0, 3.0])),
            ("all different", s.tensor(5)),
            ("rows", Tensor(I64, [2, 4], [1, 1, 2, 2, 5, 3, 3, 5]), {"dim": 1}),
            ("columns, kept", Tensor(F32, [3, 2], [1.0, 2.0, 1.0, 3.0, 0.0, 3.0]), {"dim": 0, "keepdim": True}),
            ("nans differ", vector([3.0, NAN, NAN])),
            ("signed zeros", vector([0.0, -0.0, 1.0])),
            ("0-d", s.tensor()),
        ],
    )
    s = Samples("aminmax")
    yield from rows(
        "aminmax",
        torch.aminmax,
        [
            ("all", s.tensor(2, 3)),
            ("along", s.tensor(2, 3), {"dim": 1}),
            ("kept", s.tensor(2, 3, 2), {"dim": 1, "keepdim": True}),
            ("nan", vector([1.0, NAN])),
            ("ties", vector([1.0, 1.0, 2.0, 2.0])),
            ("0-d", s.tensor()),
        ],
    )
    s = Samples("std_mean")
    yield from rows(
        "std_mean",
        torch.std_mean,
        [
            ("all", s.tensor(2, 3)),
            ("along, float64", s.tensor(2, 3, dtype=F64), {"dim": 1, "keepdim": True, "correction": 0}),
            ("correction beyond", s.tensor(2, 3), {"dim": 1, "correction": 5}),
        ],
    )
    s = Samples("unbiased")
    for op in ["var", "std"]:
        yield from rows(
            op,
            getattr(torch, op),
            [
                ("unbiased", s.tensor(2, 3), {"unbiased": True}),
                ("biased", s.tensor(2, 3), {"dim": 1, "unbiased": False}),
                ("a fractional correction", s.tensor(4), {"correction": 1.5}),
            ],
        )
    s = Samples("vector_norm dtype")
    norm = torch.linalg.vector_norm
    yield case("vector_norm", norm, [s.tensor(3)], {"dtype": torch.float64}, "dtype")
    yield case("vector_norm", norm, [Tensor(F32, [0, 2], [])], {"ord": INF, "dim": 1}, "of no rows")


def zeros():
    """Products whose gradients a division would spoil, twice."""
    data = {"one zero": [2.0, 0.0, 3.0, -1.5], "two zeros": [2.0, 0.0, 3.0, 0.0, 1.5], "only zeros": [0.0] * 3}
    for note, numbers in data.items():
        x = vector(numbers, F64)
        yield case("prod", torch.prod, [x], {}, f"float64, {note}")
        yield case("prod", torch.prod, [x], {"dim": 0}, f"float64, {note}, along")
        yield case("cumprod", torch.cumprod, [x], {"dim": 0}, f"float64, {note}")


def search():
    edges = vector([1.0, 2.0, 2.0, 4.0])
    s = Samples("bucketize")
    yield from rows(
        "bucketize",
        torch.bucketize,
        [
            ("left", [vector([0.0, 1.0, 2.0, 3.0, 9.0]), edges]),
            ("right", [vector([0.0, 1.0, 2.0, 3.0, 9.0]), edges], {"right": True}),
            ("int32", [s.tensor(2, 3), edges], {"out_int32": True}),
            ("nan", [vector([NAN, INF, -INF]), edges]),
            ("0-d", [s.tensor(), edges]),
        ],
    )
    sorter = vector([2, 0, 1], I64)
    yield from rows(
        "searchsorted",
        torch.searchsorted,
        [
            ("side", [edges, vector([2.0, 3.0])], {"side": "right"}),
            ("side and right agree", [edges, vector([2.0, 3.0])], {"side": "right", "right": True}),
            ("side right wins over right=False", [edges, vector([2.0])], {"side": "right", "right": False}),
            ("nan in the sequence", [vector([1.0, 2.0, NAN]), vector([2.0, NAN, 9.0])], {"right": True}),
            ("two dtypes", [vector([1, 2, 3], I64), vector([1.5, 3.0])]),
            ("two widths", [vector([0.1]), vector([0.1], F64)]),
            ("a wider integer", [vector([1, 2], U8), vector([300, 1], I64)]),
            ("not in order", [vector([5.0, 1.0, 4.0, 2.0]), vector([3.0, 0.0, 6.0])]),
        ],
    )
    yield case(
        "searchsorted",
        lambda a, b, sorter: torch.searchsorted(a, b, sorter=sorter),
        [vector([3.0, 5.0, 1.0]), vector([2.0, 4.0]), sorter],
        {},
        "sorter",
    )


def errors():
    def raises(op, function, inputs, attrs, note):
        try:
            function(*[item.build() for item in inputs], **attrs)
        except Exception as error:
            return {
                "op": op,
                "note": note,
                "inputs": [item.json(item.build()) for item in inputs],
                "attrs": attrs,
                "error": type(error).__name__,
                "message": str(error).split("\n")[0],
            }
        raise AssertionError(f"{op} {note} raises nothing")

    x, empty, hollow = vector([1.0, 2.0, 3.0]), vector([]), Tensor(F32, [2, 0, 3], [])
    ints = vector([1, 2], I64)
    for op in ["amax", "amin", "argmax", "argmin", "max", "min"]:
        yield raises(op, getattr(torch, op), [empty], {}, "of nothing")
    for op in ["amax", "argmax", "max", "median", "mode"]:
        yield raises(op, getattr(torch, op), [hollow], {"dim": 1}, "of an empty dimension")
    for op in ["mean", "var", "std", "var_mean", "std_mean", "norm"]:
        yield raises(op, getattr(torch, op), [ints], {}, "of integers")
    for op in ["sort", "argsort", "cumsum", "cumprod", "cummax", "logcumsumexp", "median", "mode"]:
        yield raises(op, getattr(torch, op), [x], {"dim": 1}, "no such dimension")
    for k in [-1, 4]:
        yield raises("topk", torch.topk, [x], {"k": k}, f"k = {k}")
    for k in [0, 4]:
        yield raises("kthvalue", torch.kthvalue, [x], {"k": k}, f"k = {k}")
    yield raises("kthvalue", torch.kthvalue, [hollow], {"k": 1, "dim": 1}, "of an empty dimension")
    yield raises("topk", torch.topk, [vector([True], BOOL)], {"k": 1}, "of bools")
    norm = torch.linalg.vector_norm
    yield raises("vector_norm", norm, [empty], {"ord": -1}, "of nothing")
    yield raises("vector_norm", norm, [hollow], {"ord": -2, "dim": 1}, "of an empty dimension")
    yield raises("logcumsumexp", torch.logcumsumexp, [ints], {"dim": 0}, "of integers")
    yield raises("bincount", torch.bincount, [vector([1, -1], I64)], {}, "of negative numbers")
    yield raises("bincount", torch.bincount, [x], {}, "of floats")
    yield raises("bincount", torch.bincount, [Tensor(I64, [1, 2], [1, 2])], {}, "of a matrix")
    yield raises("bincount", torch.bincount, [ints, x], {}, "weights of another length")
    yield raises("bincount", torch.bincount, [ints], {"minlength": -1}, "minlength")
    yield raises("histc", torch.histc, [vector([1.0, NAN])], {"bins": 2}, "of nan")
    yield raises("histc", torch.histc, [x], {"bins": 0}, "no bins")
    yield raises("histc", torch.histc, [x], {"bins": 2, "min": 3.0, "max": 1.0}, "a range upside down")
    yield raises("histc", torch.histc, [ints], {"bins": 2}, "of integers")
    search = torch.searchsorted
    yield raises("searchsorted", search, [x, x], {"right": True, "side": "left"}, "opposites")
    yield raises("searchsorted", search, [Tensor(F32, [], [1.0]), x], {}, "a 0-d sequence")
    yield raises("searchsorted", search, [Tensor(F32, [1, 3], [1.0, 2.0, 3.0]), x], {}, "rows that differ")
    yield raises("bucketize", torch.bucketize, [x, Tensor(F32, [1, 1], [1.0])], {}, "a matrix of boundaries")
    yield raises("unique", torch.unique, [x], {"dim": 1}, "no such dimension")
    yield raises("unique", torch.unique, [hollow], {"dim": 0}, "of an empty dimension")


def distinct():
    many = {"return_inverse": True, "return_counts": True}
    nans = Tensor(F32, [5], [2.0, NAN, NAN, -0.0, 0.0], requires_grad=False)
    cube = Samples("unique cube").tensor(2, 3, 4, dtype=I32, low=0, high=1)
    yield from rows(
        "unique",
        torch.unique,
        [
            ("nans and zeros", nans, many),
            ("inner slices", cube, {"dim": 2, **many}),
            ("middle slices", cube, {"dim": 1, **many}),
            ("no slices", Tensor(I64, [0, 2], []), {"dim": 0, **many}),
        ],
    )


FAMILIES = {"order": [every_dtype, statistics, zeros, search, distinct, errors]}
