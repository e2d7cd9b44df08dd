"""Running results along a dimension, and reductions beyond the first floor."""

import torch

from .record import BOOL, F32, F64, I32, I64, INF, NAN, U8, Samples, Tensor, case, rows, vector


def scans():
    smooth = {"cumsum": torch.cumsum, "cumprod": torch.cumprod, "logcumsumexp": torch.logcumsumexp}
    for op, function in {**smooth, "cummax": torch.cummax, "cummin": torch.cummin}.items():
        s = Samples(f"{op} scan")
        table = [
            ("vector", s.tensor(5), {"dim": 0}),
            ("down", s.tensor(3, 4), {"dim": 0}),
            ("across", s.tensor(3, 4), {"dim": -1}),
            ("middle", s.tensor(2, 3, 2), {"dim": 1}),
            ("float64", s.tensor(2, 4, dtype=F64), {"dim": 1}),
            ("0-d", s.tensor(), {"dim": 0}),
            ("empty", s.tensor(0, 2), {"dim": 0}),
            ("transposed", s.tensor(3, 4, layout="transposed"), {"dim": 1}),
            ("sliced", s.tensor(2, 4, layout="sliced"), {"dim": -1}),
            ("edges", vector([1.0, -INF, 2.0, INF, 3.0, NAN, 4.0]), {"dim": 0}),
        ]
        if op != "logcumsumexp":
            table += [
                ("int64", s.tensor(5, dtype=I64), {"dim": 0}),
                ("uint8", s.tensor(4, dtype=U8), {"dim": 0}),
                ("bool", s.tensor(4, dtype=BOOL), {"dim": 0}),
            ]
        if op in ("cummax", "cummin"):
            table += [
                ("ties take the last", vector([1.0, 1.0, 2.0, 2.0, 1.0, 1.0]), {"dim": 0}),
                ("nan stays", vector([1.0, NAN, 2.0, NAN, 0.0]), {"dim": 0}),
            ]
        if op == "cumprod":
            table += [
                ("one zero", vector([2.0, 0.0, 3.0, 4.0]), {"dim": 0}),
                ("two zeros", vector([2.0, 0.0, 3.0, 0.0, 5.0]), {"dim": 0}),
                ("zero in float64", vector([2.0, 0.0, 3.0], F64), {"dim": 0}),
            ]
        if op == "logcumsumexp":
            table += [
                ("large", vector([100.0, 100.0, 99.0, -100.0]), {"dim": 0}),
                ("minus infinity first", vector([-INF, -INF, 0.0, 1.0]), {"dim": 0}),
            ]
        if op in ("cumsum", "cumprod"):
            table += [("in float64", s.tensor(3), {"dim": 0, "dtype": torch.float64})]
        yield from rows(op, function, table)


def spread():
    s = Samples("var_mean")
    yield from rows(
        "var_mean",
        lambda x, **attrs: torch.var_mean(x, **attrs),
        [
            ("all", s.tensor(2, 3), {}),
            ("rows", s.tensor(3, 4), {"dim": 0}),
            ("kept", s.tensor(3, 4), {"dim": -1, "keepdim": True}),
            ("population", s.tensor(3, 4), {"dim": 1, "correction": 0}),
            ("two dims", s.tensor(2, 3, 2), {"dim": [0, 2]}),
            ("float64", s.tensor(2, 3, dtype=F64), {"dim": 1}),
            ("one number", vector([2.0]), {"dim": 0, "correction": 1}),
            ("0-d", s.tensor(), {"correction": 0}),
            ("empty", s.tensor(0, 3), {"dim": 1}),
            ("transposed", s.tensor(3, 4, layout="transposed"), {"dim": 1}),
            ("edges", vector([1.0, NAN, 2.0]), {"dim": 0}),
        ],
    )
    yield case("var_mean", torch.var_mean, [s.tensor(2, 3)], {"dim": 1}, "gradient of the mean", grad_of=1)


def norms():
    s = Samples("norm")
    norm = lambda x, p=2, dim=None, keepdim=False: torch.norm(x, p, dim, keepdim)
    edges = Tensor(F32, [3, 2], [NAN, 1.0, INF, -INF, 0.0, -0.0])
    for p in [2, 1, 0, 3, 0.5, INF, -INF, -1.0]:
        yield from rows(
            "norm",
            norm,
            [
                (f"p={p}, all", s.tensor(2, 3), {"p": p}),
                (f"p={p}, float64", s.tensor(2, 3, dtype=F64), {"p": p, "dim": 1}),
                (f"p={p}, edges", edges, {"p": p, "dim": 1}),
            ],
        )
    yield from rows(
        "norm",
        norm,
        [
            ("default", s.tensor(2, 3), {}),
            ("kept", s.tensor(2, 3), {"dim": 0, "keepdim": True}),
            ("two dims", s.tensor(2, 3, 2), {"p": 2, "dim": [0, 2]}),
            ("0-d", s.tensor(), {}),
            ("empty", s.tensor(0, 3), {"dim": 1}),
            ("over nothing", s.tensor(0, 3), {"dim": 0}),
            ("transposed", s.tensor(3, 4, layout="transposed"), {"p": 1, "dim": 0}),
            ("zeros", vector([0.0, 0.0]), {}),
            ("ties of infinity", vector([2.0, -2.0, 1.0]), {"p": INF}),
            ("huge", vector([1e20, 1.0], F64), {}),
        ],
    )
    s = Samples("vector_norm")
    yield from rows(
        "vector_norm",
        lambda x, ord=2, **attrs: torch.linalg.vector_norm(x, ord, **attrs),
        [
            ("default", s.tensor(2, 3), {}),
            ("rows", s.tensor(2, 3), {"dim": 1, "keepdim": True}),
            ("infinity", s.tensor(2, 3), {"ord": INF, "dim": 1}),
            ("one", s.tensor(2, 3), {"ord": 1, "dim": 0}),
            ("three, float64", s.tensor(2, 3, dtype=F64), {"ord": 3, "dim": 0}),
            ("0-d", s.tensor(), {}),
            ("empty", s.tensor(0), {}),
        ],
    )


def counted():
    s = Samples("count_nonzero")
    yield from rows(
        "count_nonzero",
        torch.count_nonzero,
        [
            ("all", vector([0.0, -0.0, 1.0, NAN, -INF], requires_grad=False)),
            ("rows", s.tensor(3, 4, dtype=I64, low=0, high=2), {"dim": 0}),
            ("two dims", s.tensor(2, 3, 2, dtype=I64, low=0, high=1), {"dim": [0, 2]}),
            ("bool", s.tensor(5, dtype=BOOL)),
            ("float64", s.tensor(2, 3, dtype=F64, requires_grad=False), {"dim": 1}),
            ("0-d", Tensor(I64, [], [3])),
            ("empty", Tensor(I64, [0, 2], []), {"dim": 0}),
            ("transposed", s.tensor(3, 2, dtype=I64, low=0, high=1, layout="transposed"), {"dim": 1}),
        ],
    )


def medians():
    s = Samples("median")
    yield from rows(
        "median",
        torch.median,
        [
            ("all, odd", s.tensor(7)),
            ("all, even takes the lower", s.tensor(2, 4)),
            ("all, float64", s.tensor(5, dtype=F64)),
            ("all, int64", vector([5, 1, 9, 3], I64)),
            ("all, nan", vector([1.0, NAN, 2.0])),
            ("all, infinities", vector([INF, -INF, 1.0])),
            ("all, 0-d", s.tensor()),
            ("all, empty", s.tensor(0)),
            ("all, transposed", s.tensor(3, 3, layout="transposed")),
            ("all, ties", vector([2.0, 2.0, 1.0, 3.0, 2.0])),
            ("rows", s.tensor(3, 4), {"dim": 0}),
            ("across", s.tensor(3, 4), {"dim": 1}),
            ("kept", s.tensor(3, 5), {"dim": -1, "keepdim": True}),
            ("float64", s.tensor(3, 3, dtype=F64), {"dim": 1}),
            ("int64", Tensor(I64, [2, 3], [3, 1, 2, 9, 8, 7]), {"dim": 1}),
            ("nan wins", Tensor(F32, [2, 3], [1.0, NAN, 3.0, 4.0, 6.0, 5.0]), {"dim": 1}),
            ("0-d", s.tensor(), {"dim": 0}),
            ("empty rows", s.tensor(0, 3), {"dim": 1}),
            ("transposed", s.tensor(3, 4, layout="transposed"), {"dim": 0}),
        ],
    )


def more_of_the_first_floor():
    """Dtypes and arguments that the first floor's files do not have."""
    for op, function in {"sum": torch.sum, "prod": torch.prod}.items():
        s = Samples(f"{op} scan")
        yield from rows(
            op,
            function,
            [
                ("int32 becomes int64", s.tensor(4, dtype=I32)),
                ("uint8 becomes int64", vector([255, 255, 2], U8)),
                ("dtype", s.tensor(3), {"dtype": torch.float64}),
                ("float to int", vector([1.9, -1.9, 2.5], requires_grad=False), {"dtype": torch.int64}),
                ("dim and dtype", s.tensor(2, 3), {"dim": 1, "dtype": torch.float64}),
            ],
        )


FAMILIES = {"scan": [scans, more_of_the_first_floor], "statistics": [spread, norms, counted, medians]}
