"""Linear algebra: the products with names of their own, einsum, and small matrices taken apart.

Matrices that are inverted or factored stay clear of singular ones, so that the comparison does not
measure the condition number; `qr` fixes the sign as PyTorch's LAPACK does.
"""

import torch

from .record import F32, F64, I64, INF, NAN, Samples, Tensor, case, rows


def named_products():
    bad = lambda *shape: Tensor(
        F32, list(shape), [NAN, 1.0, INF, 0.0][: shape[0] * (shape[1] if shape[1:] else 1)]
    )
    for op, shapes, weird in [
        ("mm", [[2, 3], [3, 4]], [bad(2, 2), Tensor(F32, [2, 2], [1.0, 0.0, 0.0, 1.0])]),
        ("bmm", [[2, 2, 3], [2, 3, 2]], None),
        ("mv", [[3, 4], [4]], [bad(2, 2), Tensor(F32, [2], [1.0, 0.0])]),
        ("dot", [[5], [5]], [bad(2), Tensor(F32, [2], [1.0, 0.0])]),
        ("outer", [[3], [4]], [bad(4), Tensor(F32, [2], [1.0, 0.0])]),
        ("inner", [[2, 3], [4, 3]], [bad(2), Tensor(F32, [2], [0.0, 1.0])]),
    ]:
        s = Samples(op)
        x, y = shapes
        vectors = len(x) == 1
        small = lambda sizes, n: [n if size == 2 or size > 2 else size for size in sizes]
        table = [
            ("two", [s.tensor(*x), s.tensor(*y)]),
            ("float64", [s.tensor(*x, dtype=F64), s.tensor(*y, dtype=F64)]),
            ("int64", [s.tensor(*x, dtype=I64), s.tensor(*y, dtype=I64)]),
            ("ones", [s.tensor(*small(x, 1)), s.tensor(*small(y, 1))]),
            ("empty", [s.tensor(*small(x, 0)), s.tensor(*small(y, 0))]),
        ]
        if vectors:
            table += [("sliced", [s.tensor(*x, layout="sliced"), s.tensor(*y)])]
        elif len(y) > 1:
            table += [
                ("transposed left", [s.tensor(*x, layout="transposed"), s.tensor(*y)]),
                ("transposed right", [s.tensor(*x), s.tensor(*y, layout="transposed")]),
                ("sliced", [s.tensor(*x, layout="sliced"), s.tensor(*y, layout="sliced")]),
            ]
        else:
            table += [("transposed", [s.tensor(*x, layout="transposed"), s.tensor(*y, layout="sliced")])]
        if op in ("mm", "mv", "bmm", "inner"):
            inner = {
                "mm": [[2, 0], [0, 3]],
                "mv": [[2, 0], [0]],
                "bmm": [[1, 2, 0], [1, 0, 2]],
                "inner": [[2, 0], [3, 0]],
            }
            table += [("no inner elements", [s.tensor(*sizes) for sizes in inner[op]])]
        if op == "inner":
            table += [("vectors", [s.tensor(3), s.tensor(3)]), ("0-d", [s.tensor(), s.tensor(3)])]
            table += [("three dims", [s.tensor(2, 1, 2), s.tensor(3, 2)])]
        if weird:
            table += [("edges", weird)]
        yield from rows(op, getattr(torch, op), table)


def added_products():
    for op, shapes in {
        "addmm": ([2, 3], [2, 4], [4, 3]),
        "baddbmm": ([2, 2, 3], [2, 2, 2], [2, 2, 3]),
    }.items():
        s = Samples(op)
        m, x, y = shapes
        of = lambda **more: [s.tensor(*m, **more), s.tensor(*x, **more), s.tensor(*y, **more)]
        wide = [s.tensor(*m, layout="transposed"), s.tensor(*x, layout="transposed"), s.tensor(*y)]
        yield from rows(
            op,
            getattr(torch, op),
            [
                ("default", of()),
                ("beta and alpha", of(), {"beta": 0.5, "alpha": -2.0}),
                ("beta of zero forgets nan", [Tensor(F32, [1], [NAN]), *of()[1:]], {"beta": 0}),
                ("broadcast", [s.tensor(m[-1]), *of()[1:]]),
                ("float64", of(dtype=F64), {"beta": 1.5, "alpha": 0.5}),
                ("int64", of(dtype=I64), {"beta": 2, "alpha": 3}),
                ("transposed", wide),
            ],
        )
    s = Samples("addmv")
    yield from rows(
        "addmv",
        torch.addmv,
        [
            ("default", [s.tensor(2), s.tensor(2, 3), s.tensor(3)]),
            ("beta and alpha", [s.tensor(2), s.tensor(2, 3), s.tensor(3)], {"beta": 0.5, "alpha": -1.0}),
            ("broadcast", [s.tensor(1), s.tensor(2, 3), s.tensor(3)]),
            ("float64", [s.tensor(2, dtype=F64), s.tensor(2, 2, dtype=F64), s.tensor(2, dtype=F64)]),
            ("empty", [s.tensor(0), s.tensor(0, 3), s.tensor(3)]),
            ("transposed", [s.tensor(2), s.tensor(2, 3, layout="transposed"), s.tensor(3)]),
        ],
    )


def einsums():
    s = Samples("einsum")
    for equation, *shapes in [
        ["ij,jk->ik", [2, 3], [3, 4]],
        ["ij,jk", [2, 3], [3, 2]],
        ["ba", [2, 3]],
        ["ii->i", [3, 3]],
        ["ii", [3, 3]],
        ["i,i->", [4], [4]],
        ["i,j->ij", [2], [3]],
        ["ij->j", [2, 3]],
        ["ij->", [2, 3]],
        ["bij,bjk->bik", [2, 2, 3], [2, 3, 2]],
        ["b i j , b j k -> b i k", [2, 1, 3], [2, 3, 2]],
        ["...ij,...jk->...ik", [2, 1, 2, 2], [3, 2, 1]],
        ["...i->...", [2, 3]],
        ["i...,i...->...", [2, 3], [2, 3]],
        ["...,...->...", [2, 3], [3]],
        ["bn,anm,bm->ba", [2, 3], [2, 3, 2], [2, 2]],
        ["ij,kj->ijk", [2, 3], [2, 3]],
        ["iij,j->i", [2, 2, 3], [3]],
        ["ij,ij->ij", [1, 3], [2, 3]],
        ["Ab,bC->CA", [2, 3], [3, 2]],
        ["ij,jk,kl->il", [2, 2], [2, 3], [3, 1]],
        ["ij->ji", [0, 3]],
        ["ij,jk->ik", [2, 0], [0, 3]],
        [",->", [], []],
        ["ij->ij", [2, 3]],
    ]:
        function = lambda *tensors, equation: torch.einsum(equation, *tensors)
        inputs = [s.tensor(*shape) for shape in shapes]
        note = f"{equation} of {', '.join(str(shape) for shape in shapes)}"
        yield case("einsum", function, inputs, {"equation": equation}, note)
    for note, equation, inputs in [
        ("float64", "ij,jk->ik", [s.tensor(2, 2, dtype=F64), s.tensor(2, 3, dtype=F64)]),
        ("float64, trace of three", "ij,jk,ki->", [s.tensor(2, 2, dtype=F64) for _ in range(3)]),
        ("float64, diagonal", "ii,i->i", [s.tensor(2, 2, dtype=F64), s.tensor(2, dtype=F64)]),
        ("int64", "ij,jk->ik", [s.tensor(2, 2, dtype=I64), s.tensor(2, 3, dtype=I64)]),
        ("transposed", "ij,jk->ki", [s.tensor(3, 2, layout="transposed"), s.tensor(2, 3, layout="sliced")]),
        ("edges", "i,j->ij", [Tensor(F32, [3], [NAN, INF, 0.0]), Tensor(F32, [2], [1.0, -0.0])]),
    ]:
        yield case("einsum", function, inputs, {"equation": equation}, note)


def contractions():
    s = Samples("tensordot")
    yield from rows(
        "tensordot",
        torch.tensordot,
        [
            ("one dim", [s.tensor(2, 3), s.tensor(3, 2)], {"dims": 1}),
            ("two dims", [s.tensor(2, 3), s.tensor(2, 3)], {"dims": 2}),
            ("none", [s.tensor(2), s.tensor(3)], {"dims": 0}),
            ("named dims", [s.tensor(2, 3, 2), s.tensor(3, 2)], {"dims": [[1], [0]]}),
            ("two named dims", [s.tensor(2, 3, 2), s.tensor(3, 2, 2)], {"dims": [[1, 0], [0, 1]]}),
            ("float64", [s.tensor(2, 2, dtype=F64), s.tensor(2, 2, dtype=F64)], {"dims": [[0], [0]]}),
            ("int64", [s.tensor(2, 2, dtype=I64), s.tensor(2, 2, dtype=I64)], {"dims": 1}),
            ("empty", [s.tensor(2, 0), s.tensor(0, 3)], {"dims": 1}),
            ("transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(2, 2)], {"dims": 1}),
        ],
    )
    s = Samples("kron")
    yield from rows(
        "kron",
        torch.kron,
        [
            ("matrices", [s.tensor(2, 2), s.tensor(1, 3)]),
            ("vectors", [s.tensor(2), s.tensor(3)]),
            ("matrix and vector", [s.tensor(2, 2), s.tensor(2)]),
            ("0-d", [s.tensor(), s.tensor(2)]),
            ("empty", [s.tensor(0, 2), s.tensor(2, 2)]),
            ("float64", [s.tensor(1, 2, dtype=F64), s.tensor(2, 2, dtype=F64)]),
            ("int64", [s.tensor(2, dtype=I64), s.tensor(2, dtype=I64)]),
            # Not transposed: PyTorch 2.15 raises there.
            ("sliced", [s.tensor(2, 3, layout="sliced"), s.tensor(1, 2, layout="sliced")]),
        ],
    )
    s = Samples("cross")
    yield from rows(
        "cross",
        torch.linalg.cross,
        [
            ("vectors", [s.tensor(3), s.tensor(3)]),
            ("rows", [s.tensor(2, 3), s.tensor(2, 3)]),
            ("columns", [s.tensor(3, 2), s.tensor(3, 2)], {"dim": 0}),
            ("broadcast", [s.tensor(2, 3), s.tensor(1, 3)]),
            ("float64", [s.tensor(3, dtype=F64), s.tensor(3, dtype=F64)]),
            ("int64", [s.tensor(3, dtype=I64), s.tensor(3, dtype=I64)]),
            ("empty", [s.tensor(0, 3), s.tensor(0, 3)]),
            ("transposed", [s.tensor(2, 3, layout="transposed"), s.tensor(2, 3)]),
        ],
    )
    s = Samples("trace")
    yield from rows(
        "trace",
        torch.trace,
        [
            ("square", s.tensor(3, 3)),
            ("wide", s.tensor(2, 4)),
            ("tall", s.tensor(3, 1)),
            ("float64", s.tensor(2, 2, dtype=F64)),
            ("int64", s.tensor(2, 2, dtype=I64)),
            ("empty", s.tensor(0, 0)),
            ("transposed", s.tensor(3, 4, layout="transposed")),
            ("edges", Tensor(F32, [2, 2], [INF, NAN, NAN, 1.0])),
        ],
    )


def stable(s, *shape, dtype=F32, layout="", positive=False):
    """A matrix far from singular: random, plus a multiple of the identity."""
    n = shape[-1]
    made = s.tensor(*shape, dtype=dtype, low=-1.0, high=1.0, layout=layout)
    for at in range(len(made.data)):
        row, column = at // n % shape[-2], at % n
        if positive and column < row:  # as symmetric as the element across the diagonal
            made.data[at] = made.data[at - (row - column) * n + (row - column)]
        if row == column:
            made.data[at] = round(abs(made.data[at]) + n, 3)
    return made


def apart():
    linalg = torch.linalg
    for op, function in {
        "det": linalg.det,
        "inv": linalg.inv,
        "cholesky": linalg.cholesky,
        "qr": linalg.qr,
    }.items():
        s = Samples(op)
        make = lambda *shape, **more: stable(s, *shape, positive=op == "cholesky", **more)
        table = [
            ("one", make(1, 1)),
            ("two", make(2, 2)),
            ("three", make(3, 3)),
            ("four", make(4, 4)),
            ("batch", make(2, 2, 2)),
            ("float64", make(3, 3, dtype=F64)),
            ("float64, batch", make(2, 2, 2, dtype=F64)),
            ("empty", s.tensor(0, 0)),
            ("transposed", make(3, 3, layout="transposed")),
            ("sliced", make(2, 2, layout="sliced")),
        ]
        if op == "det":
            table += [
                ("odd permutation", Tensor(F32, [3, 3], [0.0, 2.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 4.0])),
                ("singular", Tensor(F32, [2, 2], [1.0, 2.0, 2.0, 4.0], requires_grad=False)),
                ("edges", Tensor(F32, [2, 2], [NAN, 1.0, 2.0, 3.0], requires_grad=False)),
            ]
        if op == "inv":
            table += [("needs pivots", Tensor(F32, [2, 2], [0.0, 2.0, 4.0, 1.0]))]
        if op == "qr":
            table += [
                ("tall", s.tensor(4, 2)),
                ("wide", s.tensor(2, 4)),
                ("tall, float64", s.tensor(3, 2, dtype=F64)),
                ("complete", s.tensor(3, 2, requires_grad=False), {"mode": "complete"}),
            ]
            yield case(op, function, [stable(s, 3, 3)], note="gradient of r", grad_of=1)
        if op == "cholesky":
            table += [("upper", make(2, 2), {"upper": True})]
        yield from rows(op, function, table)
    s = Samples("solve")
    make = lambda *shape, **more: stable(s, *shape, **more)
    yield from rows(
        "solve",
        torch.linalg.solve,
        [
            ("vector", [make(3, 3), s.tensor(3)]),
            ("matrix", [make(3, 3), s.tensor(3, 2)]),
            ("one", [make(1, 1), s.tensor(1)]),
            ("batch", [make(2, 2, 2), s.tensor(2, 2, 1)]),
            ("batch broadcast", [make(2, 2, 2), s.tensor(2, 3)]),
            ("needs pivots", [Tensor(F32, [2, 2], [0.0, 2.0, 4.0, 1.0]), s.tensor(2)]),
            ("float64", [make(3, 3, dtype=F64), s.tensor(3, dtype=F64)]),
            ("float64, matrix", [make(2, 2, dtype=F64), s.tensor(2, 2, dtype=F64)]),
            ("from the right", [make(2, 2), s.tensor(3, 2)], {"left": False}),
            ("empty", [s.tensor(0, 0), s.tensor(0, 2)]),
            ("transposed", [make(3, 3, layout="transposed"), s.tensor(3, 2, layout="transposed")]),
        ],
    )


def decomposed():
    """What of decompositions has no free signs. Matrices are far from those whose values come in pairs."""
    linalg = torch.linalg
    whole = lambda s, *shape, **more: s.tensor(*shape, low=-2.0, high=2.0, **more)
    for op, function in {
        "svdvals": linalg.svdvals,
        "lu": linalg.lu,
        "lu_factor": linalg.lu_factor,
        "pinv": linalg.pinv,
    }.items():
        s = Samples(op)
        table = [
            ("one", whole(s, 1, 1)),
            ("square", stable(s, 3, 3) if op == "pinv" else whole(s, 3, 3)),
            ("tall", whole(s, 4, 2)),
            ("wide", whole(s, 2, 4)),
            ("float64", whole(s, 3, 3, dtype=F64)),
            ("float64, tall", whole(s, 3, 2, dtype=F64)),
            ("float64, wide", whole(s, 2, 3, dtype=F64)),
            ("float64, batch", whole(s, 2, 2, 2, dtype=F64)),
            ("empty", s.tensor(0, 3, requires_grad=False)),
            ("transposed", whole(s, 3, 4, layout="transposed")),
        ]
        if op == "pinv":
            table += [
                ("of rank 1", Tensor(F64, [3, 2], [1.0, 2.0, 2.0, 4.0, 3.0, 6.0], requires_grad=False)),
                ("rtol", Tensor(F64, [2, 2], [2.0, 0.0, 0.0, 0.1], requires_grad=False), {"rtol": 0.1}),
                ("atol", Tensor(F64, [2, 2], [2.0, 0.0, 0.0, 0.1], requires_grad=False), {"atol": 0.5}),
            ]
        for note, x, *attrs in table:
            # Of P, L and U, L has the gradient.
            yield case(op, function, [x], *attrs, note=note, grad_of=1 if op == "lu" else 0)
        if op == "lu":
            yield case(op, function, [whole(s, 3, 3, dtype=F64)], note="float64, gradient of u", grad_of=2)
    for op, function in {
        "slogdet": linalg.slogdet,
        "matrix_exp": linalg.matrix_exp,
        "eigvalsh": linalg.eigvalsh,
    }.items():
        s = Samples(op)
        make = lambda *shape, **more: stable(s, *shape, positive=op == "eigvalsh", **more)
        plain = lambda *shape, **more: (make if op == "eigvalsh" else lambda *a, **b: whole(s, *a, **b))(*shape, **more)
        table = [
            ("one", plain(1, 1)),
            ("two", plain(2, 2)),
            ("three", plain(3, 3)),
            ("float64", plain(3, 3, dtype=F64)),
            ("float64, batch", plain(2, 2, 2, dtype=F64)),
            ("empty", s.tensor(0, 0, requires_grad=False)),
            ("transposed", plain(3, 3, layout="transposed")),
        ]
        if op == "slogdet":
            singular = Tensor(F32, [2, 2], [1.0, 2.0, 2.0, 4.0], requires_grad=False)
            table = [(note, x, {}) for note, x in table] + [("singular", singular, {})]
            for note, x, _ in table:
                yield case(op, function, [x], note=note, grad_of=1)
            continue
        if op == "eigvalsh":
            table += [("upper", make(3, 3), {"UPLO": "U"})]
        yield from rows(op, function, table)


def triangles():
    """Index grids of the triangles, as constants."""
    for op, function in {"tril_indices": torch.tril_indices, "triu_indices": torch.triu_indices}.items():
        for row, col, offset in [
            (3, 3, 0),
            (2, 4, 0),
            (4, 2, 0),
            (3, 3, 1),
            (3, 3, -1),
            (0, 3, 0),
            (2, 2, 5),
            (2, 2, -5),
        ]:
            attrs = {"row": row, "col": col, "offset": offset}
            yield case(op, function, [], attrs, f"{row} by {col}, offset {offset}")


def made():
    """Tensors made from numbers."""
    for op, table in {
        "arange": [
            {"end": 5},
            {"start": 2, "end": 7},
            {"start": 1, "end": 10, "step": 3},
            {"start": 5, "end": 0, "step": -2},
            {"end": 2.5},
            {"start": 0, "end": 1, "step": 0.1},
            {"start": 3, "end": 3},
            {"start": 0, "end": 1, "step": 0.1, "dtype": "float64"},
            {"end": 4, "dtype": "float16"},
            {"end": 4, "dtype": "uint8"},
            {"end": 3.7, "dtype": "int64"},
            {"start": -0.5, "end": 2, "step": 1},
        ],
        "linspace": [
            {"start": 0, "end": 1, "steps": 5},
            {"start": 3.0, "end": -3.0, "steps": 7},
            {"start": 0.1, "end": 0.7, "steps": 10},
            {"start": 0, "end": 1, "steps": 1},
            {"start": 0, "end": 1, "steps": 0},
            {"start": -1, "end": 1, "steps": 9, "dtype": "float64"},
            {"start": 0, "end": 10, "steps": 4, "dtype": "int64"},
            {"start": 0, "end": 1, "steps": 6, "dtype": "float16"},
            {"start": 2.0, "end": 2.0, "steps": 3},
        ],
        "logspace": [
            {"start": 0, "end": 2, "steps": 3},
            {"start": -2.0, "end": 2.0, "steps": 6},
            {"start": 0, "end": 4, "steps": 5, "base": 2.0},
            {"start": 0, "end": 1, "steps": 1},
            {"start": 0, "end": 1, "steps": 0},
            {"start": -1, "end": 1, "steps": 4, "dtype": "float64"},
        ],
        "eye": [
            {"n": 3},
            {"n": 2, "m": 4},
            {"n": 4, "m": 2},
            {"n": 0},
            {"n": 2, "dtype": "int64"},
            {"n": 2, "dtype": "float64"},
            {"n": 2, "dtype": "bool"},
        ],
        "full": [
            {"size": [2, 2], "fill_value": 1.5},
            {"size": [2], "fill_value": 3},
            {"size": [2], "fill_value": True},
            {"size": [], "fill_value": -INF},
            {"size": [0, 2], "fill_value": NAN},
            {"size": [2], "fill_value": 0.1, "dtype": "float64"},
            {"size": [2], "fill_value": 2.9, "dtype": "int64"},
            {"size": [2], "fill_value": 0.1, "dtype": "float16"},
        ],
    }.items():
        function = getattr(torch, op)

        def make(dtype=None, function=function, op=op, **attrs):
            more = {"dtype": getattr(torch, dtype)} if dtype else {}
            if op == "arange":
                return torch.arange(attrs.get("start", 0), attrs["end"], attrs.get("step", 1), **more)
            if op == "eye":
                return torch.eye(*attrs.values(), **more)
            return function(**attrs, **more)

        for attrs in table:
            note = ", ".join(f"{name} {value}" for name, value in attrs.items())
            yield case(op, make, [], attrs, note)


FAMILIES = {
    "linalg": [named_products, added_products, einsums, contractions, apart, decomposed],
    "creation": [triangles, made],
}
