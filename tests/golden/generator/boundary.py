"""Every piecewise op at the ends of its pieces, and every op at the point where its slope is no number:
value, gradient and gradient of the gradient.

A case called "float64, corner" is differentiated twice and keeps a second gradient that is zero all
over: it says that PyTorch differentiates again there, and does not raise.
"""

import torch
import torch.nn.functional as F

from .record import BF16, F16, F32, F64, I64, INF, NAN, Scalar, Tensor, case, vector

ZERO = [0.0, -0.0, 1.0, -1.0]
HALVES = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.5]

# op: (function, attrs of its cases, the corners and a number beside each)
POINTWISE = {
    "abs": (torch.abs, [{}], ZERO),
    "sign": (torch.sign, [{}], ZERO),
    "sgn": (torch.sgn, [{}], ZERO),
    "relu": (torch.relu, [{}], ZERO),
    "relu6": (F.relu6, [{}], [0.0, -0.0, 6.0, 3.0, -1.0, 7.0]),
    "leaky_relu": (F.leaky_relu, [{}, {"negative_slope": 0.5}], ZERO),
    "hardtanh": (
        F.hardtanh,
        [{}, {"min_val": -0.5, "max_val": 2.0}, {"min_val": 1.0, "max_val": 1.0}],
        [-1.0, 1.0, -0.5, 2.0, 0.0, 3.0, -3.0],
    ),
    "hardsigmoid": (F.hardsigmoid, [{}], [-3.0, 3.0, 0.0, 4.0, -4.0]),
    "hardswish": (F.hardswish, [{}], [-3.0, 3.0, 0.0, 1.5, 4.0, -4.0]),
    "hardshrink": (F.hardshrink, [{}, {"lambd": 0.0}], [0.5, -0.5, 0.0, -0.0, 1.0, -1.0]),
    "softshrink": (F.softshrink, [{}, {"lambd": 0.0}], [0.5, 0.0, 1.0, -1.0]),
    "threshold": (
        F.threshold,
        [{"threshold": 0.5, "value": 2.0}, {"threshold": 0.0, "value": 0.0}],
        [0.5, 0.0, -0.0, 1.0, -1.0],
    ),
    "elu": (F.elu, [{}, {"alpha": 0.5}], ZERO),
    "selu": (F.selu, [{}], ZERO),
    "celu": (F.celu, [{}, {"alpha": 0.5}], ZERO),
    "softplus": (F.softplus, [{}, {"beta": 2.0, "threshold": 4.0}], [0.0, 20.0, 2.0, 20.5, 1.5]),
    "softsign": (F.softsign, [{}], ZERO),
    "clamp": (
        torch.clamp,
        [
            {"min": -1.0, "max": 1.0},
            {"min": 0.0},
            {"max": 1.0},
            {"min": 1.0, "max": 1.0},
            {"min": 1.0, "max": -1.0},
        ],
        [-1.0, 1.0, 0.0, 0.5, 2.0, -2.0],
    ),
    "floor": (torch.floor, [{}], HALVES),
    "ceil": (torch.ceil, [{}], HALVES),
    "round": (torch.round, [{}, {"decimals": 1}], HALVES),
    "trunc": (torch.trunc, [{}], HALVES),
    "frac": (torch.frac, [{}], HALVES),
    "sqrt": (torch.sqrt, [{}], [0.0, 1.0, 4.0]),
    "rsqrt": (torch.rsqrt, [{}], [0.0, 1.0, 4.0]),
    "square": (torch.square, [{}], ZERO),
    "reciprocal": (torch.reciprocal, [{}], ZERO),
    "log": (torch.log, [{}], [0.0, 1.0]),
    "log1p": (torch.log1p, [{}], [0.0, -1.0, 1.0]),
    "log2": (torch.log2, [{}], [0.0, 1.0]),
    "log10": (torch.log10, [{}], [0.0, 1.0]),
    "asin": (torch.asin, [{}], ZERO),
    "acos": (torch.acos, [{}], ZERO),
    "acosh": (torch.acosh, [{}], [1.0, 2.0]),
    "atanh": (torch.atanh, [{}], [1.0, -1.0, 0.0]),
    "nan_to_num": (torch.nan_to_num, [{}], ZERO),
    "pow_scalar": (
        lambda x, exponent: torch.pow(x, exponent),
        [{"exponent": e} for e in [0, 1, 2, 3, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, -1, -0.5, -2]],
        ZERO,
    ),
}
# Beyond the finite; elsewhere what PyTorch gives depends on where in a vector the element lies.
SPECIAL = {
    op: [NAN, INF, -INF]
    for op in ["abs", "sign", "sgn", "relu", "clamp", "floor", "ceil", "round", "trunc", "square", "sqrt"]
}


def pointwise():
    for op, (function, variants, corners) in POINTWISE.items():
        for attrs in variants:
            yield case(op, function, [vector(corners)], attrs, "corner")
            yield case(op, function, [vector(corners, F64)], attrs, "float64, corner", keep_zeros=True)
            yield case(op, function, [vector(corners, BF16)], attrs, "bfloat16, corner")
            if op in SPECIAL:
                yield case(op, function, [vector(SPECIAL[op])], attrs, "not finite, corner")
    for weight in [[0.25], [-0.5, 0.0, 2.0, 1.0]]:
        x = Tensor(F64, [2, 4], [0.0, -0.0, 1.0, -1.0, -0.0, 0.0, -2.0, 2.0])
        yield case("prelu", F.prelu, [x, vector(weight, F64)], note="float64, corner", keep_zeros=True)


# 0 beside -0 is left out: which of them PyTorch takes depends on where in a vector they lie.
LEFT = [0.0, -0.0, 1.0, 1.0, -1.0, 2.0, 1.0, -2.0]
RIGHT = [0.0, -0.0, 1.0, 2.0, -1.0, 1.0, -1.0, -1.0]
ODD_LEFT = [NAN, 1.0, NAN, INF, INF, -INF, -INF, 1.0, INF, NAN]
ODD_RIGHT = [1.0, NAN, NAN, INF, -INF, -INF, INF, INF, 1.0, INF]

PAIRS = {
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "clamp_min": torch.clamp_min,
    "clamp_max": torch.clamp_max,
    "copysign": torch.copysign,
    "hypot": torch.hypot,
    "atan2": torch.atan2,
    "logaddexp": torch.logaddexp,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "pow": torch.pow,
    "xlogy": torch.xlogy,
    "mul": torch.mul,
    "div": torch.div,
}


def in_pairs():
    for op, function in PAIRS.items():
        yield case(op, function, [vector(LEFT), vector(RIGHT)], note="corner")
        yield case(op, function, [vector(LEFT, F64), vector(RIGHT, F64)], note="float64, corner", keep_zeros=True)
        yield case(op, function, [vector(LEFT, BF16), vector(RIGHT, BF16)], note="bfloat16, corner")
        yield case(op, function, [vector(ODD_LEFT), vector(ODD_RIGHT)], note="not finite, corner")
        yield case(op, function, [vector(ODD_LEFT, F64), vector(ODD_RIGHT, F64)], note="not finite, 64 bits, corner")
    for attrs in [{"rounding_mode": "floor"}, {"rounding_mode": "trunc"}]:
        left, right = [2.0, -2.0, 3.0, -3.0, 0.0], [1.0, 1.0, 2.0, 2.0, -1.0]
        yield case(
            "div", torch.div, [vector(left, F64), vector(right, F64)], attrs, "float64, corner", keep_zeros=True
        )
    # Bounds that are tensors: below, at, within, at, above; crossed and equal bounds too.
    x = [-2.0, -1.0, 0.0, 1.0, 2.0, 0.0, 1.0, 1.0, 0.0, 2.0]
    low = [-1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    high = [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0]
    for note, dtype in [("corner", F32), ("float64, corner", F64)]:
        make = lambda data: vector(data, dtype)
        three = [make(x), make(low), make(high)]
        yield case("clamp", torch.clamp, three, {}, note, keep_zeros=True, names=["input", "min", "max"])
        yield case("clamp", torch.clamp, three[:2], {}, note, keep_zeros=True, names=["input", "min"])
        three = [make(x), make(high)]
        yield case("clamp", torch.clamp, three, {}, note, keep_zeros=True, names=["input", "max"])
    for op, bound in [("clamp_min", -1.0), ("clamp_max", 1.0)]:
        x = vector([-1.0, 1.0, 0.0, 2.0, -2.0], F64)
        yield case(op, getattr(torch, op), [x, Scalar(bound)], note="float64, corner", keep_zeros=True)
    condition = vector([True, False, True], "bool")
    yield case(
        "where",
        torch.where,
        [condition, vector([0.0, 1.0, NAN], F64), vector([NAN, 0.0, 1.0], F64)],
        note="float64, corner",
    )


TIED = [2.0, 1.0, 2.0, 1.0, 2.0, 1.0]
WITH_NAN = [2.0, NAN, 2.0, 1.0, NAN, 1.0]
ZEROS = [0.0] * 6

REDUCTIONS = {
    "max": (torch.max, [{}]),
    "min": (torch.min, [{}]),
    "max_dim": (lambda x, dim: tuple(torch.max(x, dim)), [{"dim": 0}, {"dim": 1}]),
    "min_dim": (lambda x, dim: tuple(torch.min(x, dim)), [{"dim": 0}, {"dim": 1}]),
    "amax": (torch.amax, [{"dim": []}, {"dim": 1}, {"dim": [0, 1]}]),
    "amin": (torch.amin, [{"dim": []}, {"dim": 1}, {"dim": [0, 1]}]),
    "median": (torch.median, [{}]),
    "nanmedian": (torch.nanmedian, [{}]),
    "cummax": (lambda x, dim: tuple(torch.cummax(x, dim)), [{"dim": 1}]),
    "cummin": (lambda x, dim: tuple(torch.cummin(x, dim)), [{"dim": 1}]),
    "prod": (torch.prod, [{}, {"dim": 1}]),
    "cumprod": (torch.cumprod, [{"dim": 1}]),
    "std": (torch.std, [{}, {"dim": 1}, {"correction": 0, "dim": 1}]),
    "var": (torch.var, [{}, {"dim": 1}]),
    "norm": (torch.norm, [{}, {"p": 1, "dim": 1}, {"p": 2, "dim": 1}, {"p": 3, "dim": 1}, {"p": INF, "dim": 1}]),
    "vector_norm": (
        torch.linalg.vector_norm,
        [{"ord": order, "dim": 1} for order in [0, 0.5, 1, 1.5, 2, 3, INF, -INF]],
    ),
    "logsumexp": (torch.logsumexp, [{"dim": 1}]),
    "aminmax": (lambda x, dim: tuple(torch.aminmax(x, dim=dim)), [{"dim": 1}]),
    "normalize": (F.normalize, [{"dim": 1}]),
    "softmax": (torch.softmax, [{"dim": 1}]),
}


def reductions():
    data = [("ties", TIED), ("zeros", ZEROS)]
    for op, (function, variants) in REDUCTIONS.items():
        for attrs in variants:
            for name, values in data:
                x = Tensor(F64, [2, 3], values)
                yield case(op, function, [x], attrs, f"{name}, float64, corner", keep_zeros=True)
                yield case(op, function, [Tensor(F32, [2, 3], values)], attrs, f"{name}, corner")
            if op in ["max", "min", "max_dim", "min_dim", "amax", "amin", "median", "cummax", "cummin"]:
                yield case(op, function, [Tensor(F32, [2, 3], WITH_NAN)], attrs, "nan, corner")


APART = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 0.0]
NONE = [0.0] * 8

LOSSES = {
    "l1_loss": (F.l1_loss, [{}], NONE),
    "mse_loss": (F.mse_loss, [{}], NONE),
    "smooth_l1_loss": (F.smooth_l1_loss, [{}, {"beta": 0.5}, {"beta": 0.0}], NONE),
    "huber_loss": (F.huber_loss, [{}, {"delta": 0.5}], NONE),
    "hinge_embedding_loss": (
        F.hinge_embedding_loss,
        [{}, {"margin": 2.0}],
        [1.0, -1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
    ),
    "soft_margin_loss": (F.soft_margin_loss, [{}], [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]),
    "poisson_nll_loss": (F.poisson_nll_loss, [{}, {"full": True}], [0.0, 1.0, 2.0, 0.0, 1.0, 3.0, 1.0, 0.0]),
    "binary_cross_entropy_with_logits": (
        F.binary_cross_entropy_with_logits,
        [{}],
        [0.0, 1.0, 1.0, 0.0, 1.0, 0.5, 0.5, 0.5],
    ),
}


def losses():
    for op, (function, variants, target) in LOSSES.items():
        for attrs in variants:
            for reduction in ["mean", "none"]:
                for note, dtype in [("corner", F32), ("float64, corner", F64)]:
                    inputs = [vector(APART, dtype), vector(target, dtype, requires_grad=False)]
                    own = attrs | {"reduction": reduction}
                    yield case(op, function, inputs, own, note, keep_zeros=True)
    x = lambda data, dtype=F64, **more: vector(data, dtype, **more)
    signs = x([1.0, -1.0, 1.0, -1.0], requires_grad=False)
    for margin in [0.0, 1.0]:
        yield case(
            "margin_ranking_loss",
            F.margin_ranking_loss,
            [x([1.0, 1.0, 2.0, 2.0]), x([1.0, 1.0, 1.0, 1.0]), signs],
            {"margin": margin, "reduction": "none"},
            "float64, corner",
            keep_zeros=True,
        )
    logits = Tensor(F64, [3, 3], [1.0, 0.0, 2.0, 0.5, 0.5, 1.5, 0.0, 0.0, 0.0])
    labels = Tensor(I64, [3], [0, 1, 2])
    for attrs in [{}, {"p": 2}, {"margin": 0.5}]:
        yield case(
            "multi_margin_loss", F.multi_margin_loss, [logits, labels], attrs, "float64, corner", keep_zeros=True
        )
    rows = lambda data: Tensor(F64, [2, 2], data)
    same, other = rows([1.0, 2.0, 0.0, 0.0]), rows([1.0, 2.0, 1.0, 1.0])
    pair = Tensor(F64, [2], [1.0, -1.0], requires_grad=False)
    for attrs in [{}, {"margin": 0.5}]:
        yield case(
            "cosine_embedding_loss", F.cosine_embedding_loss, [same, other, pair], attrs, "float64, corner", keep_zeros=True
        )
    yield case("cosine_similarity", F.cosine_similarity, [same, other], {"dim": 1}, "float64, corner")
    for p in [1.0, 2.0, 3.0, INF]:
        yield case("pairwise_distance", F.pairwise_distance, [same, other], {"p": p}, "float64, corner")
    triple = [same, same, other]
    for attrs in [{}, {"margin": 0.5}, {"swap": True}]:
        yield case("triplet_margin_loss", F.triplet_margin_loss, triple, attrs, "float64, corner")


def spread():
    rows = lambda data, dtype=F64: Tensor(dtype, [2, 2], data)
    a, b = [1.0, 2.0, 0.0, 0.0], [1.0, 2.0, 1.0, 0.0]
    for p in [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, INF]:
        for note, dtype in [("corner", F32), ("float64, corner", F64)]:
            if p != 0.5:
                for other in [a, b]:
                    yield case("norm", lambda x, **o: torch.norm(x, **o), [rows(other, dtype)], {"p": p, "dim": 1}, note)
    picture = lambda dtype: Tensor(dtype, [1, 1, 3, 3], [1.0, 1.0, 0.0, 1.0, 1.0, 2.0, 0.0, 2.0, 2.0])
    for note, dtype in [("corner", F32), ("float64, corner", F64)]:
        x = picture(dtype)
        yield case("max_pool2d", F.max_pool2d, [x], {"kernel_size": 2, "stride": 1}, note, keep_zeros=True)
        yield case("max_pool2d", F.max_pool2d, [x], {"kernel_size": 3, "padding": 1, "stride": 2}, note)
        line = Tensor(dtype, [1, 1, 6], [1.0, 1.0, 2.0, 2.0, 0.0, 0.0])
        yield case("max_pool1d", F.max_pool1d, [line], {"kernel_size": 2}, note)
        yield case("adaptive_max_pool2d", F.adaptive_max_pool2d, [x], {"output_size": [2, 2]}, note)
        tied = Tensor(dtype, [2, 4], [1.0, 1.0, 0.0, 1.0, 2.0, 0.0, 2.0, 0.0])
        yield case("sort", lambda x, **o: tuple(torch.sort(x, **o)), [tied], {"dim": 1, "stable": True}, note)
    for half in [F16, BF16]:
        x = vector([-1.0, 1.0, 0.0, 3.0, -3.0], half)
        yield case("clamp", torch.clamp, [x], {"min": -1.0, "max": 1.0}, f"{half}, corner")
        yield case("hardswish", F.hardswish, [x], {}, f"{half}, corner")


FAMILIES = {"boundary": [pointwise, in_pairs, reductions, losses, spread]}
