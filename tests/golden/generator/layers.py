"""Normalisation, attention, dropout, embeddings.

`batch_norm` and `instance_norm` with running statistics record these afterwards as further results.
"""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from .record import BOOL, F32, F64, I64, INF, NAN, Samples, Tensor, case, rows

RUNNING = ["input", "running_mean", "running_var"]


def with_statistics(function):
    """The result, and what became of the running statistics, which PyTorch changes in place."""

    def call(input, running_mean=None, running_var=None, weight=None, bias=None, **attrs):
        mean, var = (None if one is None else one.clone() for one in (running_mean, running_var))
        result = function(input, mean, var, weight, bias, **attrs)
        return result if mean is None else (result, mean, var)

    return call


def running_norms():
    for op, function in {"batch_norm": F.batch_norm, "instance_norm": F.instance_norm}.items():
        s = Samples(op)
        training = "training" if op == "batch_norm" else "use_input_stats"
        spatial = [] if op == "batch_norm" else [3]

        def of(channels, dtype=F32):
            mean = s.tensor(channels, dtype=dtype, requires_grad=False)
            return [mean, s.tensor(channels, dtype=dtype, low=0.5, high=2.0, requires_grad=False)]

        affine = lambda n, dtype=F32: [s.tensor(n, dtype=dtype), s.tensor(n, dtype=dtype)]
        x = lambda *sizes, **more: s.tensor(*sizes, *spatial, **more)
        every = [*RUNNING, "weight", "bias"]
        f64 = {"dtype": F64}
        table = [
            ("training, no statistics", [x(4, 2)], ["input"], {training: True}),
            ("training, affine", [x(4, 2), *affine(2)], ["input", "weight", "bias"], {training: True}),
            ("training", [x(3, 2), *of(2), *affine(2)], every, {training: True, "momentum": 0.1}),
            ("training, momentum", [x(3, 2), *of(2)], RUNNING, {training: True, "momentum": 0.5}),
            ("evaluation", [x(3, 2), *of(2), *affine(2)], every, {training: False}),
            ("evaluation, no affine", [x(3, 2), *of(2)], RUNNING, {training: False}),
            ("images", [s.tensor(2, 2, 2, 2), *of(2), *affine(2)], every, {training: True}),
            ("signals", [s.tensor(2, 2, 3), *affine(2)], ["input", "weight", "bias"], {training: True}),
            ("weight only", [x(3, 2), *affine(2)[:1]], ["input", "weight"], {training: True}),
            ("eps", [x(3, 2)], ["input"], {training: True, "eps": 0.5}),
            ("float64", [x(3, 2, **f64), *affine(2, F64)], ["input", "weight", "bias"], {training: True}),
            ("float64, evaluation", [x(3, 2, **f64), *of(2, F64)], RUNNING, {training: False}),
            ("equal numbers", [Tensor(F32, [2, 1, 3], [2.0] * 6)], ["input"], {training: True}),
            ("transposed", [s.tensor(2, 2, 3, layout="transposed")], ["input"], {training: True}),
            (
                "edges",
                [Tensor(F32, [2, 2, 2], [NAN, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])],
                ["input"],
                {training: True},
            ),
        ]
        for note, inputs, names, attrs in table:
            yield case(op, with_statistics(function), inputs, attrs, note, names)


def norms():
    s = Samples("group_norm")
    group = lambda x, weight=None, bias=None, num_groups=1, eps=1e-5: F.group_norm(
        x, num_groups, weight, bias, eps
    )
    yield from rows(
        "group_norm",
        group,
        [
            ("two groups", [s.tensor(2, 4, 2), s.tensor(4), s.tensor(4)], {"num_groups": 2}),
            ("one group", [s.tensor(2, 3, 2)], {"num_groups": 1}),
            ("a group per channel", [s.tensor(1, 3, 4)], {"num_groups": 3}),
            ("images", [s.tensor(1, 4, 2, 2), s.tensor(4), s.tensor(4)], {"num_groups": 2}),
            ("no space", [s.tensor(2, 6), s.tensor(6), s.tensor(6)], {"num_groups": 2}),
            ("eps", [s.tensor(2, 2, 2)], {"num_groups": 1, "eps": 0.5}),
            (
                "float64",
                [s.tensor(2, 2, 2, dtype=F64), s.tensor(2, dtype=F64), s.tensor(2, dtype=F64)],
                {"num_groups": 1},
            ),
            ("no samples", [s.tensor(0, 2, 2)], {"num_groups": 2}),
            (
                "transposed",
                [s.tensor(2, 2, 3, layout="transposed"), s.tensor(2), s.tensor(2)],
                {"num_groups": 2},
            ),
            ("equal numbers", [Tensor(F32, [1, 2, 2], [3.0] * 4)], {"num_groups": 1}),
        ],
    )
    s = Samples("rms_norm")
    rms = lambda x, weight=None, normalized_shape=None, eps=None: F.rms_norm(x, normalized_shape, weight, eps)
    yield from rows(
        "rms_norm",
        rms,
        [
            ("weight", [s.tensor(2, 4), s.tensor(4)], {"normalized_shape": [4]}),
            ("plain", [s.tensor(2, 3)], {"normalized_shape": [3]}),
            ("two dims", [s.tensor(2, 2, 3), s.tensor(2, 3)], {"normalized_shape": [2, 3]}),
            ("eps", [s.tensor(2, 3), s.tensor(3)], {"normalized_shape": [3], "eps": 0.1}),
            ("float64", [s.tensor(2, 3, dtype=F64), s.tensor(3, dtype=F64)], {"normalized_shape": [3]}),
            ("zeros", [Tensor(F32, [1, 3], [0.0] * 3)], {"normalized_shape": [3]}),
            ("one number", [s.tensor(2, 1)], {"normalized_shape": [1]}),
            ("no rows", [s.tensor(0, 3), s.tensor(3)], {"normalized_shape": [3]}),
            ("transposed", [s.tensor(3, 4, layout="transposed"), s.tensor(4)], {"normalized_shape": [4]}),
            ("edges", [Tensor(F32, [2, 2], [NAN, 1.0, 1e10, 1.0])], {"normalized_shape": [2]}),
        ],
    )
    s = Samples("normalize")
    yield from rows(
        "normalize",
        F.normalize,
        [
            ("rows", s.tensor(2, 3)),
            ("p", s.tensor(2, 3), {"p": 1.0, "dim": 0}),
            ("infinity", s.tensor(2, 3), {"p": INF}),
            ("float64", s.tensor(2, 3, dtype=F64)),
            ("zeros", Tensor(F32, [1, 2], [0.0, 0.0])),
            ("empty", s.tensor(0, 3)),
            ("transposed", s.tensor(3, 2, layout="transposed"), {"dim": -1}),
        ],
    )


def attention():
    s = Samples("scaled_dot_product_attention")

    def attend(q, k, v, mask=None, **attrs):
        # PyTorch's fused kernel has no second derivative, its plain form has.
        plain = (
            [SDPBackend.MATH] if q.dtype == torch.float64 else [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]
        )
        with sdpa_kernel(plain):
            return F.scaled_dot_product_attention(q, k, v, mask, **attrs)

    def of(q, k=None, v=None, **more):
        k = k or q
        return [s.tensor(*q, **more), s.tensor(*k, **more), s.tensor(*(v or k), **more)]

    keep = Tensor(BOOL, [2, 3], [True, False, True, True, True, False])
    nothing = Tensor(BOOL, [2, 2], [True, False, False, False])
    added = Tensor(F32, [2, 3], [0.0, -INF, 0.5, -1.0, 0.0, 0.0], requires_grad=False)
    f64 = Tensor(F64, [2, 2], [0.0, -INF, 0.5, -1.0], requires_grad=False)
    causal = {"is_causal": True}
    table = [
        ("one head", of([1, 3, 2]), {}),
        ("without batch", of([3, 2]), {}),
        ("heads", of([2, 2, 2, 2]), {}),
        ("longer keys", of([1, 2, 2], [1, 3, 2]), {}),
        ("wider values", of([1, 2, 2], [1, 3, 2], [1, 3, 4]), {}),
        ("causal", of([1, 3, 2]), causal),
        ("causal, longer keys", of([1, 2, 2], [1, 3, 2]), causal),
        ("causal, longer queries", of([1, 3, 2], [1, 2, 2]), causal),
        ("bool mask", [*of([1, 2, 2], [1, 3, 2]), keep], {}),
        ("added mask", [*of([1, 2, 2], [1, 3, 2]), added], {}),
        ("mask that needs a gradient", [*of([1, 2, 2], [1, 3, 2]), s.tensor(2, 3)], {}),
        ("scale", of([1, 3, 2]), {"scale": 0.25}),
        ("scale and causal", of([1, 3, 2]), {"scale": 2.0, **causal}),
        ("grouped queries", of([1, 4, 2, 2], [1, 2, 3, 2]), {"enable_gqa": True}),
        (
            "grouped queries, one head of keys, causal",
            of([1, 2, 3, 2], [1, 1, 3, 2]),
            {"enable_gqa": True, **causal},
        ),
        ("batch broadcast", of([2, 2, 2], [1, 3, 2]), {}),
        ("float64", of([1, 3, 2], dtype=F64), {}),
        ("float64, causal", of([1, 3, 2], dtype=F64), causal),
        ("float64, mask", [*of([1, 2, 2], dtype=F64), f64], {}),
        ("row that sees nothing", [*of([1, 2, 2]), nothing], {}),
        ("transposed", of([1, 3, 2], layout="transposed"), {}),
        ("no queries", of([1, 0, 2], [1, 3, 2]), {}),
        ("large", [Tensor(F32, [1, 2, 1], [100.0, -100.0])] * 3, {}),
    ]
    yield from rows("scaled_dot_product_attention", attend, table)


def lookups():
    s = Samples("embedding more")
    ints = lambda shape, data: Tensor(I64, shape, data)
    yield from rows(
        "embedding",
        F.embedding,
        [
            ("padding_idx", [ints([3], [1, 0, 1]), s.tensor(3, 2)], {"padding_idx": 1}),
            ("negative padding_idx", [ints([3], [2, 0, 1]), s.tensor(3, 2)], {"padding_idx": -1}),
            ("scale by frequency", [ints([3], [2, 0, 2]), s.tensor(3, 2)], {"scale_grad_by_freq": True}),
            ("int32 indices", [Tensor("int32", [2], [1, 0]), s.tensor(2, 2)]),
        ],
    )
    s = Samples("dropout")
    yield from rows(
        "dropout",
        F.dropout,
        [
            ("evaluation", s.tensor(2, 3), {"p": 0.5, "training": False}),
            ("nothing dropped", s.tensor(2, 3), {"p": 0.0, "training": True}),
            ("everything dropped", s.tensor(2, 3), {"p": 1.0, "training": True}),
            ("everything dropped, edges", Tensor(F32, [3], [NAN, INF, -1.0]), {"p": 1.0, "training": True}),
            ("evaluation, float64", s.tensor(3, dtype=F64), {"p": 0.3, "training": False}),
            ("evaluation, 0-d", s.tensor(), {"p": 0.3, "training": False}),
            ("evaluation, empty", s.tensor(0, 2), {"p": 0.3, "training": False}),
            ("evaluation, transposed", s.tensor(3, 2, layout="transposed"), {"p": 0.3, "training": False}),
        ],
    )
    for op in ["softmin", "glu"]:
        s = Samples(op)
        yield from rows(
            op,
            getattr(F, op),
            [
                ("columns", s.tensor(2, 4), {"dim": 1}),
                ("rows", s.tensor(4, 2), {"dim": 0}),
                ("last of three", s.tensor(2, 1, 2), {"dim": -1}),
                ("float64", s.tensor(2, 4, dtype=F64), {"dim": 1}),
                ("empty", s.tensor(0, 2), {"dim": 1}),
                ("transposed", s.tensor(3, 4, layout="transposed"), {"dim": 1}),
                ("large", Tensor(F32, [1, 4], [100.0, -100.0, 50.0, -50.0]), {"dim": 1}),
            ],
        )


FAMILIES = {"norm": [running_norms, norms], "attention": [attention], "layers": [lookups]}
