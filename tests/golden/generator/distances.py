"""Losses beyond the first floor: robust, probabilistic, of distances and of margins."""

import torch.nn.functional as F

from .record import F32, F64, I64, INF, NAN, Samples, Tensor, case, rows, vector

REDUCTIONS = ["mean", "sum", "none"]


def signs(*data, dtype=F32):
    return vector([float(value) for value in data], dtype, requires_grad=False)


def pointwise():
    """Losses of two tensors of one shape: op, function, domains of the two, attrs, edge values."""
    probability = {"low": 0.05, "high": 0.95}
    shifted = [0.0, 1.0, -1.0, 1.0, 1e10, -1e10, INF, NAN, 0.5]
    near = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.5]
    for op, function, left, right, variants, edges in [
        ("smooth_l1_loss", F.smooth_l1_loss, {}, {}, [{}, {"beta": 0.5}, {"beta": 0.0}], (shifted, near)),
        ("huber_loss", F.huber_loss, {}, {}, [{}, {"delta": 0.5}], (shifted, near)),
        (
            "binary_cross_entropy",
            F.binary_cross_entropy,
            probability,
            probability,
            [{}],
            ([0.0, 1.0, 0.0, 1.0, 1e-30, 0.5], [0.0, 1.0, 1.0, 0.0, 1.0, 0.5]),
        ),
        (
            "kl_div",
            F.kl_div,
            {"high": 0.0},
            {"low": 0.05, "high": 1.0},
            [{}],
            ([-INF, 0.0, -1.0, -1e10], [0.0, 0.0, 1.0, 0.5]),
        ),
        (
            "kl_div",
            lambda *x, **attrs: F.kl_div(*x, **attrs),
            {"high": 0.0},
            {"high": 0.0},
            [{"log_target": True}],
            ([-1.0, 0.0, -2.0], [-INF, 0.0, -1.0]),
        ),
        (
            "soft_margin_loss",
            F.soft_margin_loss,
            {},
            None,
            [{}],
            ([0.0, 50.0, -50.0, 1e-7], [1.0, 1.0, 1.0, -1.0]),
        ),
        (
            "poisson_nll_loss",
            F.poisson_nll_loss,
            {},
            {"low": 0.0},
            [{}, {"log_input": False}],
            ([0.0, 5.0, -5.0], [0.0, 1.0, 2.0]),
        ),
    ]:
        s = Samples(f"{op} {'log' if 'log_target' in variants[0] else ''}")
        x = lambda *shape, **more: s.tensor(*shape, **{**left, **more})

        def y(*shape, **more):
            if right is not None:
                return s.tensor(*shape, **{**right, **more})
            made = s.tensor(*shape, **{**more, "requires_grad": False})
            made.data = [1.0 if value > 0 else -1.0 for value in made.data]
            return made

        prefix = "log target, " if "log_target" in variants[0] else ""
        if op == "poisson_nll_loss":
            x = lambda *shape, **more: s.tensor(*shape, low=0.1, **more)
        for attrs in variants:
            note = "".join(f"{name} {value}, " for name, value in attrs.items() if name != "log_target")
            table = [(f"{prefix}{note}{how}", [x(2, 3), y(2, 3)], {"reduction": how}) for how in REDUCTIONS]
            table += [
                (f"{prefix}{note}float64", [x(2, 2, dtype=F64), y(2, 2, dtype=F64)], {}),
                (
                    f"{prefix}{note}edges",
                    [vector(edges[0]), vector(edges[1], requires_grad=right is not None)],
                    {"reduction": "none"},
                ),
            ]
            if attrs == variants[0]:
                table += [
                    (f"{prefix}float64, none", [x(3, dtype=F64), y(3, dtype=F64)], {"reduction": "none"}),
                    (f"{prefix}0-d", [x(), y()], {}),
                    (f"{prefix}empty", [x(0), y(0)], {"reduction": "sum"}),
                    (f"{prefix}empty, mean", [x(0), y(0)], {}),
                    (
                        f"{prefix}transposed",
                        [x(3, 2, layout="transposed"), y(3, 2, layout="transposed")],
                        {"reduction": "none"},
                    ),
                ]
            if op == "kl_div":
                table += [(f"{prefix}batchmean", [x(2, 3), y(2, 3)], {"reduction": "batchmean"})]
            if op in ("smooth_l1_loss", "huber_loss") and attrs == variants[0]:
                table += [("target without gradient", [x(3), y(3, requires_grad=False)], {})]
            yield from rows(op, function, table, attrs)
    s = Samples("binary_cross_entropy weighted")
    make = lambda *shape, **more: s.tensor(*shape, low=0.1, high=0.9, **more)
    weight = lambda *shape, **more: s.tensor(*shape, low=0.5, high=2.0, requires_grad=False, **more)
    bce = lambda x, target, weight, **attrs: F.binary_cross_entropy(x, target, weight, **attrs)
    yield case(
        "binary_cross_entropy", bce, [make(2, 3), make(2, 3), weight(3)], {"reduction": "mean"}, "weight"
    )
    for note, names, inputs in [
        ("weight", ["input", "target", "weight"], [s.tensor(2, 3), make(2, 3), weight(3)]),
        ("pos_weight", ["input", "target", "pos_weight"], [s.tensor(2, 3), make(2, 3), weight(3)]),
        (
            "float64, pos_weight",
            ["input", "target", "pos_weight"],
            [s.tensor(3, dtype=F64), make(3, dtype=F64), weight(3, dtype=F64)],
        ),
    ]:
        op = "binary_cross_entropy_with_logits"
        yield case(op, getattr(F, op), inputs, {"reduction": "mean"}, note, names)


def classes():
    s = Samples("cross_entropy soft")
    labels = lambda *data: Tensor(I64, [len(data)], list(data))

    def soft(*shape, **more):
        made = s.tensor(*shape, low=0.1, high=1.0, **more)
        n = shape[1] if len(shape) > 1 else shape[0]
        made.data = [round(value / n, 3) for value in made.data]
        return made

    weight = lambda n, **more: s.tensor(n, low=0.5, high=2.0, requires_grad=False, **more)
    names = ["input", "target", "weight"]
    for note, inputs, attrs in [
        ("soft targets", [s.tensor(3, 4), soft(3, 4)], {}),
        ("soft targets, sum", [s.tensor(3, 4), soft(3, 4)], {"reduction": "sum"}),
        ("soft targets, none", [s.tensor(3, 4), soft(3, 4)], {"reduction": "none"}),
        ("soft targets, float64", [s.tensor(2, 3, dtype=F64), soft(2, 3, dtype=F64)], {}),
        ("soft targets, smoothing", [s.tensor(2, 3), soft(2, 3)], {"label_smoothing": 0.2}),
        ("soft targets, weights", [s.tensor(2, 3), soft(2, 3), weight(3)], {"label_smoothing": 0.1}),
        ("soft targets, pixels", [s.tensor(2, 3, 2), soft(2, 3, 2)], {}),
        ("soft targets, one sample", [s.tensor(3), soft(3)], {}),
        ("smoothing, weights", [s.tensor(3, 3), labels(0, 2, 1), weight(3)], {"label_smoothing": 0.3}),
        (
            "smoothing, weights, none",
            [s.tensor(3, 3), labels(0, 2, 1), weight(3)],
            {"label_smoothing": 0.3, "reduction": "none"},
        ),
        ("smoothing, ignored", [s.tensor(3, 3), labels(0, -100, 1)], {"label_smoothing": 0.3}),
        ("smoothing, sum", [s.tensor(2, 3), labels(0, 2)], {"label_smoothing": 0.3, "reduction": "sum"}),
        ("weights, ignored", [s.tensor(3, 3), labels(0, 2, 1), weight(3)], {"ignore_index": 2}),
        ("all ignored", [s.tensor(2, 3), labels(-100, -100)], {}),
        ("float64, smoothing", [s.tensor(2, 3, dtype=F64), labels(1, 0)], {"label_smoothing": 0.1}),
    ]:
        yield case("cross_entropy", F.cross_entropy, inputs, attrs, note, names if len(inputs) == 3 else None)
    s = Samples("multi_margin_loss")
    yield from rows(
        "multi_margin_loss",
        F.multi_margin_loss,
        [
            *((how, [s.tensor(3, 4), labels(0, 3, 1)], {"reduction": how}) for how in REDUCTIONS),
            ("squared", [s.tensor(3, 4), labels(0, 3, 1)], {"p": 2}),
            ("margin", [s.tensor(3, 4), labels(0, 3, 1)], {"margin": 0.5}),
            ("float64", [s.tensor(2, 3, dtype=F64), labels(2, 0)]),
            ("one sample", [s.tensor(3), Tensor(I64, [], [1])]),
            ("transposed", [s.tensor(3, 2, layout="transposed"), labels(0, 1, 1)]),
        ],
    )


def similarities():
    s = Samples("cosine_similarity")
    yield from rows(
        "cosine_similarity",
        F.cosine_similarity,
        [
            ("rows", [s.tensor(2, 3), s.tensor(2, 3)]),
            ("columns", [s.tensor(3, 2), s.tensor(3, 2)], {"dim": 0}),
            ("vectors", [s.tensor(4), s.tensor(4)], {"dim": 0}),
            ("broadcast", [s.tensor(2, 1, 3), s.tensor(2, 3)], {"dim": -1}),
            ("eps", [s.tensor(2, 3, low=-0.1, high=0.1), s.tensor(2, 3)], {"eps": 0.5}),
            ("float64", [s.tensor(2, 3, dtype=F64), s.tensor(2, 3, dtype=F64)]),
            ("zeros", [Tensor(F32, [1, 2], [0.0, 0.0]), s.tensor(1, 2)]),
            ("empty", [s.tensor(0, 3), s.tensor(0, 3)]),
            ("transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(3, 2)]),
            ("edges", [Tensor(F32, [2, 2], [NAN, 1.0, INF, 1.0]), s.tensor(2, 2)]),
        ],
    )
    s = Samples("pairwise_distance")
    yield from rows(
        "pairwise_distance",
        F.pairwise_distance,
        [
            ("rows", [s.tensor(2, 3), s.tensor(2, 3)]),
            ("p", [s.tensor(2, 3), s.tensor(2, 3)], {"p": 1.0}),
            ("kept", [s.tensor(2, 3), s.tensor(2, 3)], {"keepdim": True}),
            ("vectors", [s.tensor(3), s.tensor(3)]),
            ("broadcast", [s.tensor(2, 3), s.tensor(1, 3)]),
            ("float64", [s.tensor(2, 3, dtype=F64), s.tensor(2, 3, dtype=F64)]),
            ("equal", [Tensor(F32, [1, 2], [1.0, 2.0]), Tensor(F32, [1, 2], [1.0, 2.0])]),
            ("empty", [s.tensor(0, 3), s.tensor(0, 3)]),
            ("transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(3, 2)]),
        ],
    )


def margins():
    s = Samples("cosine_embedding_loss")
    yield from rows(
        "cosine_embedding_loss",
        F.cosine_embedding_loss,
        [
            *(
                (how, [s.tensor(3, 2), s.tensor(3, 2), signs(1, -1, 1)], {"reduction": how})
                for how in REDUCTIONS
            ),
            ("margin", [s.tensor(3, 2), s.tensor(3, 2), signs(-1, -1, 1)], {"margin": 0.3}),
            ("float64", [s.tensor(2, 3, dtype=F64), s.tensor(2, 3, dtype=F64), signs(1, -1, dtype=F64)]),
            ("one pair", [s.tensor(3), s.tensor(3), Tensor(F32, [], [1.0], requires_grad=False)]),
            ("transposed", [s.tensor(3, 2, layout="transposed"), s.tensor(3, 2), signs(1, 1, -1)]),
            ("empty", [s.tensor(0, 2), s.tensor(0, 2), signs()], {"reduction": "sum"}),
        ],
    )
    s = Samples("triplet_margin_loss")
    three = lambda *shape, **more: [s.tensor(*shape, **more) for _ in range(3)]
    yield from rows(
        "triplet_margin_loss",
        F.triplet_margin_loss,
        [
            *((how, three(3, 2), {"reduction": how}) for how in REDUCTIONS),
            ("margin", three(2, 3), {"margin": 3.0}),
            ("p", three(2, 3), {"p": 1}),
            ("swap", three(3, 2), {"swap": True}),
            ("float64", three(2, 3, dtype=F64), {"margin": 5.0}),
            ("one triplet", three(3)),
            ("transposed", three(3, 2, layout="transposed")),
            ("empty", three(0, 2), {"reduction": "sum"}),
        ],
    )
    s = Samples("margin_ranking_loss")
    yield from rows(
        "margin_ranking_loss",
        F.margin_ranking_loss,
        [
            *(
                (how, [s.tensor(4), s.tensor(4), signs(1, -1, 1, -1)], {"reduction": how})
                for how in REDUCTIONS
            ),
            ("margin", [s.tensor(3), s.tensor(3), signs(1, -1, 1)], {"margin": 1.5}),
            ("float64", [s.tensor(2, dtype=F64), s.tensor(2, dtype=F64), signs(1, -1, dtype=F64)]),
            ("broadcast", [s.tensor(2, 1), s.tensor(2, 3), Tensor(F32, [1, 1], [-1.0], requires_grad=False)]),
            ("ties", [vector([1.0, 2.0]), vector([1.0, 2.0]), signs(1, -1)], {"reduction": "none"}),
            ("empty", [s.tensor(0), s.tensor(0), signs()], {"reduction": "sum"}),
        ],
    )
    s = Samples("hinge_embedding_loss")
    yield from rows(
        "hinge_embedding_loss",
        F.hinge_embedding_loss,
        [
            *((how, [s.tensor(4), signs(1, -1, 1, -1)], {"reduction": how}) for how in REDUCTIONS),
            ("margin", [s.tensor(3), signs(-1, -1, 1)], {"margin": 2.5}),
            ("float64", [s.tensor(2, dtype=F64), signs(1, -1, dtype=F64)]),
            ("0-d", [s.tensor(), Tensor(F32, [], [-1.0], requires_grad=False)]),
            (
                "transposed",
                [
                    s.tensor(2, 3, layout="transposed"),
                    Tensor(F32, [2, 3], [1.0, -1.0] * 3, requires_grad=False),
                ],
            ),
            ("empty", [s.tensor(0), signs()], {"reduction": "sum"}),
            ("edges", [vector([NAN, INF, -INF, 1.0]), signs(1, -1, -1, -1)], {"reduction": "none"}),
        ],
    )


FAMILIES = {"losses2": [pointwise, classes, similarities, margins]}
