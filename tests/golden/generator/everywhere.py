"""The corners that an op's own table leaves out: every op that moves elements over every kind of
dtype and over NaN, infinities and -0, and 0-d, empty, non-contiguous and extreme inputs elsewhere.
"""

import torch
import torch.nn.functional as F

from .indexing import bools, ints
from .placing import setitem
from .record import (
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I32,
    INF,
    NAN,
    U8,
    U16,
    U64,
    Samples,
    Scalar,
    Tensor,
    case,
    possible,
    vector,
)

SPECIAL = [NAN, INF, -INF, -0.0, 1e30, -1e-30]

# Ops of one matrix [2, 3]: function, attrs.
MOVING = {
    "reshape": (torch.reshape, {"shape": [3, 2]}),
    "view": (lambda x, shape: x.view(shape), {"shape": [6]}),
    "flatten": (torch.flatten, {}),
    "unflatten": (torch.unflatten, {"dim": 1, "sizes": [3, 1]}),
    "squeeze": (torch.squeeze, {}),
    "unsqueeze": (torch.unsqueeze, {"dim": 1}),
    "permute": (torch.permute, {"dims": [1, 0]}),
    "transpose": (torch.transpose, {"dim0": 0, "dim1": 1}),
    "swapaxes": (torch.swapaxes, {"axis0": 0, "axis1": 1}),
    "movedim": (torch.movedim, {"source": 0, "destination": 1}),
    "T": (lambda x: x.T, {}),
    "mT": (lambda x: x.mT, {}),
    "expand": (lambda x, size: x.expand(size), {"size": [2, 2, 3]}),
    "broadcast_to": (lambda x, size: torch.broadcast_to(x, size), {"size": [2, 2, 3]}),
    "repeat": (lambda x, repeats: x.repeat(repeats), {"repeats": [1, 2]}),
    "tile": (torch.tile, {"dims": [2]}),
    "repeat_interleave": (torch.repeat_interleave, {"repeats": 2, "dim": 1}),
    "flip": (torch.flip, {"dims": [0, 1]}),
    "roll": (torch.roll, {"shifts": 1, "dims": 1}),
    "rot90": (torch.rot90, {"k": 1, "dims": [0, 1]}),
    "split": (lambda x, **attrs: torch.split(x, *attrs.values()), {"split_size_or_sections": 2, "dim": 1}),
    "chunk": (torch.chunk, {"chunks": 2, "dim": 1}),
    "unbind": (torch.unbind, {"dim": 0}),
    "narrow": (torch.narrow, {"dim": 1, "start": 1, "length": 2}),
    "select": (torch.select, {"dim": 1, "index": 1}),
    "slice": (
        lambda x, dim, start, stop, step: x[:, start:stop:step],
        {"dim": 1, "start": 0, "stop": 3, "step": 2},
    ),
    "diagonal": (torch.diagonal, {}),
    "diag": (torch.diag, {"diagonal": 1}),
    "diag_embed": (torch.diag_embed, {}),
    "tril": (torch.tril, {}),
    "triu": (torch.triu, {"diagonal": 1}),
    "tensor_unfold": (lambda x, **attrs: x.unfold(*attrs.values()), {"dimension": 1, "size": 2, "step": 1}),
    "as_strided": (torch.as_strided, {"size": [2, 2], "stride": [3, 1]}),
    "pad": (F.pad, {"pad": [1, 0, 0, 1]}),
    "clone": (torch.clone, {}),
    "cat": (lambda x, dim: torch.cat([x], dim), {"dim": 0}),
    "stack": (lambda x, dim: torch.stack([x], dim), {"dim": 1}),
    "block_diag": (torch.block_diag, {}),
}


def picking():
    """Ops of a matrix [2, 3] and indices: op, function, further inputs, attrs."""
    row, flat = ints([2], [1, 0]), ints([3], [5, 0, 3])
    cells, mask = ints([2, 2], [2, 0, 1, 1]), bools([2, 3], [1, 0, 1, 0, 1, 1])
    return [
        ("index_select", lambda x, i, dim: torch.index_select(x, dim, i), [row], {"dim": 0}),
        ("gather", lambda x, i, dim: torch.gather(x, dim, i), [cells], {"dim": 1}),
        ("take", torch.take, [flat], {}),
        ("take_along_dim", torch.take_along_dim, [cells], {"dim": 1}),
        ("masked_select", torch.masked_select, [mask], {}),
        (
            "index_fill",
            lambda x, i, dim, value: torch.index_fill(x, dim, i, value),
            [ints([1], [1])],
            {"dim": 1, "value": 1},
        ),
        ("masked_fill", lambda x, m, value: x.masked_fill(m, value), [mask], {"value": 1}),
        ("nonzero", torch.nonzero, [], {}),
    ]


def moving():
    for op, function, more, attrs in [*((op, f, [], attrs) for op, (f, attrs) in MOVING.items()), *picking()]:
        s = Samples(f"{op} everywhere")
        edges = Tensor(F32, [2, 3], SPECIAL)
        yield case(op, function, [edges, *more], attrs, "edges of float32, moved")
        for dtype in [F64, F16, BF16, U8, I32, BOOL, I8, U16, U64]:
            x = s.tensor(2, 3, dtype=dtype)
            yield possible(lambda: case(op, function, [x, *more], attrs, f"{dtype}, moved"))


def placed():
    """Ops that write one tensor into another, over dtypes."""
    row, cells = ints([2], [1, 1]), ints([1, 3], [1, 0, 1])
    for op, function, index, attrs, source in [
        ("index_add", lambda x, i, y, dim: torch.index_add(x, dim, i, y), row, {"dim": 0}, [2, 3]),
        (
            "index_copy",
            lambda x, i, y, dim: torch.index_copy(x, dim, i, y),
            ints([1], [1]),
            {"dim": 0},
            [1, 3],
        ),
        ("scatter", lambda x, i, y, dim: torch.scatter(x, dim, i, y), cells, {"dim": 0}, [1, 3]),
        ("scatter_add", lambda x, i, y, dim: torch.scatter_add(x, dim, i, y), cells, {"dim": 0}, [1, 3]),
        ("masked_scatter", torch.masked_scatter, bools([2, 3], [1, 0, 0, 1, 0, 1]), {}, [3]),
        ("setitem", setitem, ints([1], [1]), {"indices": [{"tensor": 1}]}, [3]),
    ]:
        s = Samples(f"{op} everywhere")
        size = source[0] * (source[1] if source[1:] else 1)
        edges = [
            Tensor(F32, [2, 3], SPECIAL),
            index,
            Tensor(F32, source, [-0.0, INF, NAN, 1.0, 2.0, 3.0][:size]),
        ]
        yield case(op, function, edges, attrs, "edges of float32, placed")
        for dtype in [F64, F16, BF16, U8, I32, BOOL]:
            inputs = [s.tensor(2, 3, dtype=dtype), index, s.tensor(*source, dtype=dtype)]
            yield possible(lambda: case(op, function, inputs, attrs, f"{dtype}, placed"))


def scalars():
    """0-d tensors where dimensions are counted as one."""
    s = Samples("0-d everywhere")
    zero = ints([1], [0])
    by = lambda f: lambda x, i, *rest, dim, **more: f(x, dim, i, *rest, **more)
    for op, function, inputs, attrs in [
        ("index_select", by(torch.index_select), [s.tensor(), zero], {"dim": 0}),
        ("index_add", by(torch.index_add), [s.tensor(), zero, s.tensor()], {"dim": 0}),
        ("index_fill", by(torch.index_fill), [s.tensor(), zero], {"dim": 0, "value": 2.0}),
        ("scatter_add", by(torch.scatter_add), [s.tensor(), ints([], [0]), s.tensor()], {"dim": 0}),
        (
            "scatter_reduce",
            by(torch.scatter_reduce),
            [s.tensor(), ints([], [0]), s.tensor()],
            {"dim": 0, "reduce": "sum"},
        ),
        ("softmin", F.softmin, [s.tensor()], {"dim": 0}),
    ]:
        yield case(op, function, inputs, attrs, "0-d, everywhere")


def nothing():
    """Empty tensors, reduced along what is not empty, or with an identity."""
    s = Samples("empty everywhere")
    for op in ["argmax", "argmin"]:
        yield case(op, getattr(torch, op), [s.tensor(0, 3)], {"dim": 1}, "no rows")
    for op in ["max", "min"]:
        yield case(f"{op}_dim", getattr(torch, op), [s.tensor(0, 3)], {"dim": 1}, "no rows")
        yield case(
            f"{op}_dim", getattr(torch, op), [s.tensor(2, 3, 0)], {"dim": 1, "keepdim": True}, "empty last"
        )
    for op in ["var", "std"]:
        yield case(op, getattr(torch, op), [s.tensor(0, 3)], {"dim": 1}, "no rows")
        yield case(op, getattr(torch, op), [s.tensor(2, 0)], {"dim": 1}, "of nothing")
        yield case(op, getattr(torch, op), [Tensor(F32, [], [2.5])], {"correction": 0}, "0-d, population")
    yield case(
        "addmm", torch.addmm, [s.tensor(2, 3), s.tensor(2, 0), s.tensor(0, 3)], note="no inner elements"
    )
    yield case("addmm", torch.addmm, [s.tensor(3), s.tensor(0, 2), s.tensor(2, 3)], note="no rows")
    yield case(
        "baddbmm", torch.baddbmm, [s.tensor(1, 2, 2), s.tensor(0, 2, 1), s.tensor(0, 1, 2)], note="no batch"
    )
    part = lambda x, dim, start, stop, step: x[:, start:stop:step]
    yield case("slice", part, [s.tensor(0, 3)], {"dim": 1, "start": 1, "stop": None, "step": 1}, "of no rows")
    yield case("broadcast_to", torch.broadcast_to, [s.tensor(0, 1)], {"size": [2, 0, 3]}, "of nothing")
    yield case("expand", lambda x, size: x.expand(size), [s.tensor(0, 1)], {"size": [0, 3]}, "of nothing")


def strided():
    s = Samples("layout everywhere")
    ij = lambda *tensors, indexing: torch.meshgrid(*tensors, indexing=indexing)
    yield case("meshgrid", ij, [s.tensor(2, layout="sliced"), s.tensor(2)], {"indexing": "ij"}, "sliced")
    reduce = lambda x, i, src, dim, reduce: torch.scatter_reduce(x, dim, i, src, reduce)
    inputs = [s.tensor(2, 3, layout="transposed"), ints([1, 3], [0, 1, 1]), s.tensor(1, 3, layout="sliced")]
    for how in ["sum", "amax", "mean"]:
        yield case("scatter_reduce", reduce, inputs, {"dim": 0, "reduce": how}, f"{how}, transposed")
    yield case("squeeze", torch.squeeze, [s.tensor(3, 1, layout="sliced")], {"dim": 1}, "sliced")
    put = lambda x, i, value, accumulate: torch.index_put(x, (i,), value, accumulate)
    inputs = [s.tensor(2, 3, layout="transposed"), ints([2], [1, 1]), s.tensor(2, 3, layout="sliced")]
    yield case("index_put", put, inputs, {"accumulate": True}, "transposed")
    sign = Tensor(F32, [3], [1.0, -1.0, 1.0], requires_grad=False)
    inputs = [s.tensor(3, layout="sliced"), s.tensor(3), sign]
    yield case("margin_ranking_loss", F.margin_ranking_loss, inputs, {"reduction": "none"}, "sliced")
    norm = lambda x, ord, **attrs: torch.linalg.vector_norm(x, ord, **attrs)
    yield case("vector_norm", norm, [s.tensor(3, 2, layout="transposed")], {"ord": 3, "dim": 0}, "transposed")


def extremes():
    """NaN and infinity through sums of products and through losses."""
    hard = Tensor(F32, [2, 2], [NAN, 1.0, INF, 0.0])
    unit = Tensor(F32, [2, 2], [1.0, 0.0, 0.0, 2.0])
    cube = lambda t: Tensor(F32, [1, *t.shape], t.data)
    line = Tensor(F32, [1, 1, 4], [NAN, 1.0, 0.0, INF])
    for op, function, inputs, attrs in [
        ("bmm", torch.bmm, [cube(hard), cube(unit)], {}),
        ("linear", F.linear, [hard, unit, vector([0.0, 1.0])], {}),
        ("conv1d", F.conv1d, [line, Tensor(F32, [1, 1, 2], [1.0, 0.5])], {"padding": 1}),
        ("conv_transpose1d", F.conv_transpose1d, [line, Tensor(F32, [1, 1, 2], [1.0, 0.5])], {}),
        ("kron", torch.kron, [hard, vector([1.0, -0.0])], {}),
        ("tensordot", torch.tensordot, [hard, unit], {"dims": 1}),
        ("cross", torch.linalg.cross, [vector([NAN, 1.0, 2.0]), vector([1.0, INF, 0.0])], {}),
        ("addmv", torch.addmv, [vector([NAN, 0.0]), unit, vector([INF, 1.0])], {}),
        ("layer_norm", F.layer_norm, [Tensor(F32, [2, 2], [NAN, 1.0, 1e4, -1e4])], {"normalized_shape": [2]}),
        ("group_norm", F.group_norm, [Tensor(F32, [1, 2, 2], [1e4, 1.0, -1e4, 2.0])], {"num_groups": 1}),
        ("vector_norm", torch.linalg.vector_norm, [vector([NAN, 1.0])], {}),
        ("prod", torch.prod, [vector([INF, 2.0, -1.0])], {}),
        ("prod", torch.prod, [vector([INF, 0.0])], {}),
        ("normalize", F.normalize, [Tensor(F32, [2, 2], [1e10, 1.0, NAN, 1.0])], {}),
        ("softmin", F.softmin, [vector([INF, 1.0, 2.0])], {"dim": 0}),
        ("glu", F.glu, [vector([NAN, 1.0, 100.0, -100.0])], {"dim": 0}),
        ("pairwise_distance", F.pairwise_distance, [hard, unit], {}),
        ("interpolate", F.interpolate, [line], {"size": 3}),
        ("unfold", F.unfold, [Tensor(F32, [1, 1, 2, 2], hard.data)], {"kernel_size": 2}),
        ("fold", F.fold, [Tensor(F32, [1, 4, 1], hard.data)], {"output_size": [2, 2], "kernel_size": 2}),
        ("pixel_shuffle", F.pixel_shuffle, [Tensor(F32, [1, 4, 1, 1], hard.data)], {"upscale_factor": 2}),
        ("embedding", F.embedding, [ints([2], [0, 1]), hard], {}),
        ("triplet_margin_loss", F.triplet_margin_loss, [hard, unit, unit], {"reduction": "none"}),
    ]:
        yield case(op, function, inputs, attrs, "edges, everywhere")


def whole():
    """Integers, where an op of the first floor was only met with floats."""
    s = Samples("integers everywhere")
    for op, function, attrs in [
        ("cumsum", torch.cumsum, {"dim": 1}),
        ("amax", torch.amax, {"dim": 1}),
        ("sum", torch.sum, {"dim": 0}),
        ("prod", torch.prod, {"dim": 0}),
        ("trace", torch.trace, {}),
        ("argsort", torch.argsort, {"stable": True}),
    ]:
        for dtype in [I32, U8, I8]:
            yield case(op, function, [s.tensor(2, 3, dtype=dtype)], attrs, f"{dtype}, everywhere")
    for op in ["where"]:
        mask = bools([3], [1, 0, 1])
        for dtype in [I32, U8, F16, BOOL]:
            yield case(
                op,
                torch.where,
                [mask, s.tensor(3, dtype=dtype), s.tensor(3, dtype=dtype)],
                note=f"{dtype}, everywhere",
            )
        yield case(op, torch.where, [mask, s.tensor(3, dtype=I32), Scalar(2.5)], note="int32 with a number")
    for op in ["all", "any"]:
        for dtype in [F64, F16, I8]:
            x = s.tensor(2, 3, dtype=dtype, requires_grad=False)
            yield case(op, getattr(torch, op), [x], {"dim": 1}, f"{dtype}, everywhere")
    plain = lambda: s.tensor(2, dtype=F64, requires_grad=False)
    yield case("logical_xor", torch.logical_xor, [plain(), plain()], note="float64")


def without_gaps(maker):
    return lambda: (row for row in maker() if row)


FAMILIES = {
    "everywhere": [without_gaps(moving), without_gaps(placed), scalars, nothing, strided, extremes, whole],
}
