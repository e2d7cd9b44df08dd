"""Softmax and its kin, losses, normalisation."""

import torch
import torch.nn.functional as F

from .record import F32, F64, I64, INF, NAN, Samples, Tensor, case, vector


def normalised():
    extreme = Tensor(F32, [3, 3], [1000.0, 999.0, -1000.0, -INF, 0.0, 1.0, 5.0, 5.0, 5.0])
    undefined = Tensor(F32, [3, 2], [-INF, -INF, INF, 0.0, NAN, 1.0])
    for op, function in {
        "softmax": torch.softmax,
        "log_softmax": torch.log_softmax,
        "logsumexp": torch.logsumexp,
    }.items():
        s = Samples(op)
        for note, x, dim in [
            ("columns", s.tensor(2, 3), 1),
            ("rows", s.tensor(2, 3), 0),
            ("last of three", s.tensor(2, 2, 3), -1),
            ("middle", s.tensor(2, 3, 2), 1),
            ("float64", s.tensor(2, 4, dtype=F64), 1),
            ("0-d", s.tensor(), 0),
            ("one class", s.tensor(3, 1), 1),
            ("empty rows", s.tensor(0, 3), 1),
            ("transposed", s.tensor(3, 4, layout="transposed"), 1),
            ("sliced", s.tensor(2, 5, layout="sliced"), 1),
            ("longer than a SIMD vector", s.tensor(3, 37), 1),
            ("large numbers do not overflow", extreme, 1),
            ("undefined rows", undefined, 1),
        ]:
            yield case(op, function, [x], {"dim": dim}, note)
        if op == "logsumexp":
            yield case(op, function, [s.tensor(2, 3)], {"dim": 1, "keepdim": True}, "kept")
            yield case(op, function, [s.tensor(2, 3, 2)], {"dim": [0, 2]}, "two dimensions")
            yield case(op, function, [s.tensor(2, 0)], {"dim": 1}, "of nothing")


def labels(shape, data):
    return Tensor(I64, shape, data)


def class_losses():
    for op, function in {"cross_entropy": F.cross_entropy, "nll_loss": F.nll_loss}.items():
        s = Samples(op)
        for note, x, target, attrs in [
            ("mean", s.tensor(4, 3), labels([4], [0, 2, 1, 1]), {"reduction": "mean"}),
            ("sum", s.tensor(4, 3), labels([4], [0, 2, 1, 1]), {"reduction": "sum"}),
            ("none", s.tensor(4, 3), labels([4], [0, 2, 1, 1]), {"reduction": "none"}),
            ("float64", s.tensor(3, 2, dtype=F64), labels([3], [0, 1, 1]), {"reduction": "mean"}),
            ("one sample without batch", s.tensor(5), labels([], [3]), {"reduction": "mean"}),
            (
                "pixels",
                s.tensor(2, 3, 2, 2),
                labels([2, 2, 2], [0, 1, 2, 0, 1, 1, 2, 2]),
                {"reduction": "mean"},
            ),
            (
                "pixels, none",
                s.tensor(2, 3, 4),
                labels([2, 4], [0, 1, 2, 0, 1, 1, 2, 2]),
                {"reduction": "none"},
            ),
            ("ignored target", s.tensor(4, 3), labels([4], [0, -100, 1, -100]), {"reduction": "mean"}),
            ("ignored target, none", s.tensor(3, 3), labels([3], [0, -100, 1]), {"reduction": "none"}),
            (
                "ignore_index",
                s.tensor(3, 3),
                labels([3], [0, 2, 1]),
                {"reduction": "mean", "ignore_index": 2},
            ),
            ("no samples, sum", s.tensor(0, 3), labels([0], []), {"reduction": "sum"}),
            ("no samples, mean", s.tensor(0, 3), labels([0], []), {"reduction": "mean"}),
            (
                "transposed",
                s.tensor(4, 3, layout="transposed"),
                labels([4], [2, 2, 0, 1]),
                {"reduction": "mean"},
            ),
            (
                "large numbers",
                Tensor(F32, [2, 3], [1000.0, 0.0, -1000.0, -80.0, 80.0, 0.0]),
                labels([2], [0, 0]),
                {"reduction": "mean"},
            ),
            (
                "ten classes",
                s.tensor(16, 10),
                labels([16], [i * 7 % 10 for i in range(16)]),
                {"reduction": "mean"},
            ),
        ]:
            yield case(op, function, [x, target], attrs, note)
        yield case(
            op,
            lambda x, target, weight, **attrs: function(x, target, weight, **attrs),
            [
                s.tensor(4, 3),
                labels([4], [0, 2, 1, 1]),
                Tensor(F32, [3], [0.5, 1.0, 2.0], requires_grad=False),
            ],
            {"reduction": "mean"},
            "class weights",
        )
    s = Samples("cross_entropy smoothing")
    yield case(
        "cross_entropy",
        F.cross_entropy,
        [s.tensor(4, 3), labels([4], [0, 2, 1, 1])],
        {"reduction": "mean", "label_smoothing": 0.1},
        "label smoothing",
    )


def value_losses():
    for op, function in {
        "mse_loss": F.mse_loss,
        "l1_loss": F.l1_loss,
        "binary_cross_entropy_with_logits": F.binary_cross_entropy_with_logits,
    }.items():
        s = Samples(op)
        goal = lambda *shape, **more: s.tensor(*shape, low=0.0, high=1.0, **more)
        for note, x, target, reduction in [
            ("mean", s.tensor(2, 3), goal(2, 3), "mean"),
            ("sum", s.tensor(2, 3), goal(2, 3), "sum"),
            ("none", s.tensor(2, 3), goal(2, 3), "none"),
            ("float64", s.tensor(4, dtype=F64), goal(4, dtype=F64), "mean"),
            ("target without gradient", s.tensor(4), goal(4, requires_grad=False), "mean"),
            ("0-d", s.tensor(), goal(), "mean"),
            ("empty, sum", s.tensor(0), goal(0), "sum"),
            ("empty, mean", s.tensor(0), goal(0), "mean"),
            ("transposed", s.tensor(3, 4, layout="transposed"), goal(3, 4, layout="sliced"), "mean"),
            ("equal", vector([1.0, 0.0, 0.5]), vector([1.0, 0.0, 0.5]), "none"),
            ("large", vector([1000.0, -1000.0, 100.0, -100.0]), vector([1.0, 0.0, 0.0, 1.0]), "none"),
        ]:
            yield case(op, function, [x, target], {"reduction": reduction}, note)


def layers():
    s = Samples("layer_norm")
    norm = lambda x, *weights, normalized_shape, eps: F.layer_norm(x, normalized_shape, *weights, eps=eps)
    for note, inputs, shape, eps in [
        ("with weight and bias", [s.tensor(3, 4), s.tensor(4), s.tensor(4)], [4], 1e-5),
        ("plain", [s.tensor(3, 4)], [4], 1e-5),
        ("two dimensions", [s.tensor(2, 3, 2), s.tensor(3, 2), s.tensor(3, 2)], [3, 2], 1e-5),
        ("three dimensions", [s.tensor(2, 2, 3), s.tensor(3), s.tensor(3)], [3], 1e-5),
        ("float64", [s.tensor(2, 3, dtype=F64), s.tensor(3, dtype=F64), s.tensor(3, dtype=F64)], [3], 1e-5),
        ("large eps", [s.tensor(2, 3)], [3], 0.5),
        ("equal numbers", [Tensor(F32, [1, 3], [2.0, 2.0, 2.0]), s.tensor(3), s.tensor(3)], [3], 1e-5),
        ("longer than a SIMD vector", [s.tensor(2, 35), s.tensor(35), s.tensor(35)], [35], 1e-5),
        ("transposed", [s.tensor(3, 4, layout="transposed"), s.tensor(4), s.tensor(4)], [4], 1e-5),
        ("no rows", [s.tensor(0, 3), s.tensor(3), s.tensor(3)], [3], 1e-5),
    ]:
        yield case("layer_norm", norm, inputs, {"normalized_shape": shape, "eps": eps}, note)


FAMILIES = {"softmax": [normalised], "losses": [class_losses, value_losses, layers]}
