"""Order: sorting, the largest few, distinct values, bins.

Data has no ties where PyTorch leaves their order open (topk, kthvalue, median, an unstable sort).
"""

import torch

from .record import BOOL, F32, F64, I32, I64, INF, NAN, U8, Samples, Tensor, rows, vector

TIED = [2.0, 1.0, 2.0, 1.0, 3.0, 2.0]


def sorts():
    for op, function in {"sort": torch.sort, "argsort": torch.argsort}.items():
        s = Samples(op)
        yield from rows(
            op,
            function,
            [
                ("vector", s.tensor(6)),
                ("rows", s.tensor(3, 4), {"dim": 0}),
                ("across, descending", s.tensor(3, 4), {"dim": 1, "descending": True}),
                ("middle", s.tensor(2, 3, 2), {"dim": 1}),
                ("float64", s.tensor(2, 4, dtype=F64)),
                ("int64", vector([5, -3, 0, 9], I64), {"descending": True}),
                ("uint8", vector([200, 3, 100], U8)),
                ("bool, stable", vector([True, False, True, False], BOOL), {"stable": True}),
                ("ties, stable", vector(TIED), {"stable": True}),
                ("ties, stable, descending", vector(TIED), {"stable": True, "descending": True}),
                ("nan is the largest", vector([1.0, NAN, -INF, INF, 0.5])),
                ("nan is the largest, descending", vector([1.0, NAN, -INF, INF, 0.5]), {"descending": True}),
                ("signed zeros are equal", vector([0.0, -0.0, 0.0, -0.0]), {"stable": True}),
                ("0-d", s.tensor()),
                ("empty", s.tensor(0, 3), {"dim": 0}),
                ("empty rows", s.tensor(0, 3)),
                ("transposed", s.tensor(3, 4, layout="transposed")),
                ("sliced", s.tensor(2, 4, layout="sliced"), {"dim": 0}),
            ],
        )


def largest():
    s = Samples("topk")
    yield from rows(
        "topk",
        torch.topk,
        [
            ("two", s.tensor(6), {"k": 2}),
            ("smallest", s.tensor(6), {"k": 3, "largest": False}),
            ("rows", s.tensor(4, 3), {"k": 2, "dim": 0}),
            ("across", s.tensor(2, 5), {"k": 1, "dim": -1}),
            ("all of them", s.tensor(4), {"k": 4}),
            ("none", s.tensor(4), {"k": 0}),
            ("float64", s.tensor(2, 4, dtype=F64), {"k": 2}),
            ("int64", vector([5, -3, 0, 9], I64), {"k": 2}),
            ("nan is the largest", vector([1.0, NAN, INF, -INF]), {"k": 2}),
            ("nan is the largest, smallest", vector([1.0, NAN, INF, -INF]), {"k": 3, "largest": False}),
            ("0-d", s.tensor(), {"k": 1}),
            ("empty rows", s.tensor(0, 3), {"k": 2}),
            ("transposed", s.tensor(3, 4, layout="transposed"), {"k": 2}),
        ],
    )
    s = Samples("kthvalue")
    yield from rows(
        "kthvalue",
        torch.kthvalue,
        [
            ("second", s.tensor(5), {"k": 2}),
            ("rows", s.tensor(4, 3), {"k": 1, "dim": 0}),
            ("kept", s.tensor(2, 5), {"k": 3, "dim": 1, "keepdim": True}),
            ("float64", s.tensor(3, 4, dtype=F64), {"k": 4}),
            ("int64", vector([5, -3, 0, 9], I64), {"k": 3}),
            ("nan is the largest", vector([1.0, NAN, 3.0, 2.0]), {"k": 4}),
            ("infinities", vector([INF, 1.0, -INF]), {"k": 1}),
            ("0-d", s.tensor(), {"k": 1}),
            ("empty rows", s.tensor(0, 3), {"k": 2}),
            ("transposed", s.tensor(3, 4, layout="transposed"), {"k": 2, "dim": 0}),
        ],
    )


def distinct():
    both = {"return_inverse": True, "return_counts": True}
    s = Samples("unique")
    few = lambda *shape, **more: s.tensor(*shape, dtype=I64, low=0, high=3, **more)
    yield from rows(
        "unique",
        torch.unique,
        [
            ("int64", few(8)),
            ("inverse", few(2, 4), {"return_inverse": True}),
            ("counts", few(7), {"return_counts": True}),
            ("both", few(3, 3), both),
            ("float32", vector([2.5, -1.0, 2.5, 0.0, -1.0], requires_grad=False), both),
            ("float64", vector([2.5, -1.0, 2.5], F64, requires_grad=False), both),
            ("infinities", vector([INF, -INF, INF, 0.0], requires_grad=False), both),
            ("nans differ", vector([NAN, 1.0, NAN], requires_grad=False), both),
            ("bool", vector([True, False, True], BOOL), both),
            ("uint8", vector([7, 255, 7], U8), both),
            ("0-d", Tensor(I64, [], [4]), both),
            ("empty", Tensor(I64, [0], []), both),
            ("transposed", few(3, 2, layout="transposed"), both),
            ("rows", Tensor(I64, [4, 2], [1, 2, 0, 5, 1, 2, 0, 4]), {"dim": 0, **both}),
            ("columns", Tensor(I64, [2, 3], [1, 0, 1, 2, 5, 2]), {"dim": 1, **both}),
        ],
    )


def bins():
    s = Samples("bincount")
    table = [
        ("counts", [vector([0, 3, 1, 3, 3], I64)], {}),
        ("minlength", [vector([0, 1, 1], I64)], {"minlength": 5}),
        ("minlength too short", [vector([0, 4], I64)], {"minlength": 2}),
        ("int32", [vector([2, 2, 0], I32)], {}),
        ("uint8", [vector([2, 5, 2], U8)], {}),
        ("empty", [Tensor(I64, [0], [])], {}),
        ("empty, minlength", [Tensor(I64, [0], [])], {"minlength": 3}),
        ("float32 weights", [vector([0, 2, 2], I64), s.tensor(3, requires_grad=False)], {}),
        ("float64 weights", [vector([0, 2, 2], I64), s.tensor(3, dtype=F64, requires_grad=False)], {}),
        ("int64 weights", [vector([0, 2, 2], I64), vector([5, 6, 7], I64)], {"minlength": 4}),
        ("sliced", [Tensor(I64, [4], [1, 0, 1, 2], "sliced")], {}),
    ]
    bincount = lambda x, weights=None, minlength=0: torch.bincount(x, weights, minlength)
    yield from rows("bincount", bincount, table)
    s = Samples("histc")
    plain = lambda data, dtype=F32: vector(data, dtype, requires_grad=False)
    yield from rows(
        "histc",
        torch.histc,
        [
            ("range of the data", plain(s.floats(12)), {"bins": 4}),
            ("range", plain(s.floats(12)), {"bins": 5, "min": -2.0, "max": 2.0}),
            ("edges of the bins", plain([0.0, 1.0, 2.0, 3.0, 4.0]), {"bins": 4, "min": 0.0, "max": 4.0}),
            ("outside is dropped", plain([-1.0, 0.5, 9.0]), {"bins": 2, "min": 0.0, "max": 1.0}),
            ("equal numbers widen the range", plain([2.0, 2.0]), {"bins": 3}),
            ("nan is dropped", plain([NAN, 0.5, 0.6]), {"bins": 2, "min": 0.0, "max": 1.0}),
            ("float64", plain(s.floats(6), F64), {"bins": 3, "min": -3.0, "max": 3.0}),
            ("matrix, transposed", s.tensor(3, 2, layout="transposed", requires_grad=False), {"bins": 3}),
            ("0-d", Tensor(F32, [], [0.5], requires_grad=False), {"bins": 2, "min": 0.0, "max": 1.0}),
            ("empty", Tensor(F32, [0], [], requires_grad=False), {"bins": 3}),
        ],
    )
    s = Samples("searchsorted")
    edges = [1.0, 2.0, 2.0, 4.0]
    yield from rows(
        "searchsorted",
        torch.searchsorted,
        [
            ("left", [plain(edges), plain([0.0, 1.0, 2.0, 3.0, 9.0])]),
            ("right", [plain(edges), plain([0.0, 1.0, 2.0, 3.0, 9.0])], {"right": True}),
            ("edges", [plain(edges), plain([NAN, INF, -INF])]),
            ("float64", [plain(edges, F64), plain([2.0, 2.5], F64)]),
            ("int64", [vector([1, 3, 5], I64), vector([0, 3, 6], I64)]),
            (
                "matrix of values",
                [plain(edges), Tensor(F32, [2, 2], [0.0, 2.0, 5.0, 1.5], requires_grad=False)],
            ),
            (
                "a sequence per row",
                [
                    Tensor(F32, [2, 3], [1.0, 2.0, 3.0, 0.0, 5.0, 9.0], requires_grad=False),
                    Tensor(F32, [2, 2], [2.0, 9.0, 2.0, 9.0], requires_grad=False),
                ],
            ),
            ("0-d value", [plain(edges), Tensor(F32, [], [3.0], requires_grad=False)]),
            ("no values", [plain(edges), Tensor(F32, [0], [], requires_grad=False)]),
            ("no edges", [Tensor(F32, [0], [], requires_grad=False), plain([1.0])]),
            (
                "transposed",
                [
                    plain(edges),
                    Tensor(F32, [3, 2], [0.0, 2.0, 5.0, 1.5, 1.0, 4.0], "transposed", requires_grad=False),
                ],
            ),
            ("int32 out", [plain(edges), plain([2.0])], {"out_int32": True}),
        ],
    )


FAMILIES = {"sort": [sorts, largest, distinct, bins]}
