"""Rows of losses. With `reduction="none"` a loss has the shape of its targets, else it is one number."""

from glowgrad._rows.row import Row

_NO_OPERATOR = "none: ONNX has no operator for it; it is exported as the ops that it is made of"
_CLASSES = ("[C], [] -> []", "[N, C, *S], [N, *S] -> [N, *S] if reduction == 'none' else []")


def _loss(name, rules, onnx, *cases, **more):
    return Row(name, "loss", rules, onnx, cases, **more)


def _reduced(left, shape="[*]"):
    return f"{left} -> {shape} if reduction == 'none' else []"


def _pairs(name, onnx=_NO_OPERATOR, first="2x3", second="2x3", **more):
    """A loss of inputs and targets of one shape."""
    return _loss(
        name, _reduced("[*], [*]"), onnx, ({}, first, second), (dict(reduction="none"), first, second), **more,
    )


LOSSES = [
    _loss(
        "CrossEntropyLoss", (*_CLASSES, _reduced("[N, C, *S], [N, C, *S]", "[N, *S]")), "SoftmaxCrossEntropyLoss",
        ({}, "4x3", "4 index<3"), (dict(reduction="none"), "4x3x2", "4x2 index<3"),
        (dict(reduction="none", label_smoothing=0.1), "4x3", "4x3 probability"),
    ),
    _loss(
        "NLLLoss", _CLASSES, "NegativeLogLikelihoodLoss", ({}, "4x3", "4 index<3"),
        (dict(reduction="none", ignore_index=1), "4x3", "4 index<3"),
    ),
    _loss(
        "NLLLoss2d", _reduced("[N, C, H, W], [N, H, W]", "[N, H, W]"), "NegativeLogLikelihoodLoss",
        ({}, "2x3x4x4", "2x4x4 index<3"), (dict(reduction="none"), "2x3x4x4", "2x4x4 index<3"),
    ),
    _pairs("MSELoss", "Sub, Mul, ReduceMean"),
    _pairs("L1Loss", "Sub, Abs, ReduceMean"),
    _pairs("SmoothL1Loss"),
    _pairs("HuberLoss"),
    _pairs("BCELoss", first="2x3 probability", second="2x3 probability"),
    _pairs("BCEWithLogitsLoss", second="2x3 probability"),
    _pairs("KLDivLoss", second="2x3 probability", types={"reduction": "none|batchmean|mean|sum"}),
    _pairs("SoftMarginLoss", second="2x3 sign"),
    _pairs("HingeEmbeddingLoss", second="2x3 sign"),
    _pairs("PoissonNLLLoss", second="2x3 probability"),
    _loss(
        "GaussianNLLLoss", _reduced("[*], [*], [*]"), _NO_OPERATOR, ({}, "2x3", "2x3", "2x3 probability"),
        (dict(reduction="none"), "2x3", "2x3", "2x3 probability"),
    ),
    _loss(
        "CosineEmbeddingLoss", _reduced("[N?, D], [N?, D], [N?]", "[N?]"), _NO_OPERATOR,
        ({}, "4x3", "4x3", "4 sign"), (dict(reduction="none"), "4x3", "4x3", "4 sign"),
    ),
    _loss(
        "MarginRankingLoss", _reduced("[*], [*], [*]"), _NO_OPERATOR, ({}, "4", "4", "4 sign"),
        (dict(reduction="none"), "4", "4", "4 sign"),
    ),
    *[
        _loss(
            name, _reduced("[*, D], [*, D], [*, D]"), _NO_OPERATOR, ({}, "4x3", "4x3", "4x3"),
            (dict(reduction="none", swap=True), "4x3", "4x3", "4x3"), types=types,
        ) for name, types in (("TripletMarginLoss", {"p": "number"}), ("TripletMarginWithDistanceLoss", None))
    ],
    _loss(
        "MultiMarginLoss", _reduced("[N?, C], [N?]", "[N?]"), _NO_OPERATOR, ({}, "4x3", "4 index<3"),
        (dict(p=2, reduction="none"), "4x3", "4 index<3"), types={"p": "size"},
    ),
    _loss(
        "MultiLabelMarginLoss", _reduced("[N?, C], [N?, C]", "[N?]"), _NO_OPERATOR, ({}, "4x3", "4x3 index<3"),
        (dict(reduction="none"), "4x3", "4x3 index<3"),
    ),
    _loss(
        "MultiLabelSoftMarginLoss", _reduced("[*, C], [*, C]"), _NO_OPERATOR, ({}, "4x3", "4x3 probability"),
        (dict(reduction="none"), "4x3", "4x3 probability"),
    ),
    _loss(
        "CTCLoss", (_reduced("[T, N, C], [N, S], [N], [N]", "[N]"), "[T, C], [S], [], [] -> []"), _NO_OPERATOR,
        ({}, "6x2x3", "2x2 =1", "2 =6", "2 =2"), (dict(reduction="none"), "6x2x3", "2x2 =1", "2 =6", "2 =2"),
    ),
    _loss(
        "LinearCrossEntropyLoss",
        ("[in_features], [] -> []", _reduced("[N, in_features], [N, *S]", "[N, *S]")),
        "Gemm, SoftmaxCrossEntropyLoss", (dict(in_features=3, num_classes=4), "5x3", "5 index<4"),
        (dict(in_features=3, num_classes=4, out_features=(2,), bias=True, reduction="none"), "5x3", "5x2 index<4"),
        types={"out_features": "shape"}, reads={
            "in_features": lambda module: module.linear.in_features,
            "bias": lambda module: module.linear.bias is not None,
        }, parameters="num_classes * prod(out_features) * (in_features + bias)",
    ),
]
