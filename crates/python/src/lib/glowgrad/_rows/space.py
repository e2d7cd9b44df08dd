"""Rows of layers that come for signals, images and volumes: convolutions, pools, padding, norms, dropout.

Each is written once for one, two and three dimensions: `L`, `H, W` and `D, H, W`.
"""

from glowgrad._rows.row import Row

_NAMES = {1: ("L",), 2: ("H", "W"), 3: ("D", "H", "W")}
_WORDS = {1: "6", 2: "6x5", 3: "5x6x5"}


def _each(n, function):
    """`function(H, 0), function(W, 1)`."""
    return ", ".join([f"{function}({name}, {i})" for i, name in enumerate(_NAMES[n])])


def _for_each(name, make, dims=(1, 2, 3)):
    return [make(f"{name}{n}d", n, ", ".join(_NAMES[n]), _WORDS[n]) for n in dims]


def _layer(name, *rest, **more):
    return Row(name, "layer", *rest, **more)


# Convolutions.

_WINDOWS = {
    "windows(n, i)": (
        "n if padding == 'same' else (n + 2 * (0 if padding == 'valid' else padding[i]) "
        "- dilation[i] * (kernel_size[i] - 1) - 1) // stride[i] + 1"
    ),
}
_SPREAD = {
    "spread(n, i)": (
        "(n - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel_size[i] - 1) + output_padding[i] + 1"
    ),
}


_WEIGHTS = "out_channels * (in_channels // groups * prod(kernel_size) + bias)"
_SPREAD_WEIGHTS = "in_channels * (out_channels // groups) * prod(kernel_size) + out_channels * bias"


def _conv(name, n, space, size):
    is_lazy, is_transposed = name.startswith("Lazy"), "Transpose" in name
    function = "spread" if is_transposed else "windows"
    channels = {} if is_lazy else {"in_channels": 2}
    cases = [
        (dict(channels, out_channels=4, kernel_size=3), f"1x2x{size}"),
        (dict(channels, out_channels=4, kernel_size=2, stride=2, padding=1, groups=2), f"1x2x{size}"),
        (dict(channels, out_channels=4, kernel_size=(3, 2, 1)[:n], dilation=2, bias=False), f"2x{size}"),
    ]
    if not is_transposed:
        cases.append((dict(channels, out_channels=3, kernel_size=3, padding="same"), f"1x2x{size}"))
        cases.append((
            dict(channels, out_channels=3, kernel_size=2, padding=1, padding_mode="circular"), f"1x2x{size}",
        ))
    else:
        cases.append((
            dict(channels, out_channels=3, kernel_size=3, stride=2, output_padding=1), f"1x2x{size}",
        ))
    first = "C" if is_lazy else "in_channels"
    return _layer(
        name, f"[N?, {first}, {space}] -> [N?, out_channels, {_each(n, function)}]",
        "ConvTranspose" if is_transposed else "Conv; another padding_mode is a Pad before it", cases,
        where=_SPREAD if is_transposed else _WINDOWS, dims=n,
        types={"padding": "sizes", "padding_mode": "zeros"} if is_transposed else None, keeps_tuples=True,
        parameters="" if is_lazy else _SPREAD_WEIGHTS if is_transposed else _WEIGHTS,
        divisible={first: "groups", "out_channels": "groups"},
    )


# Pools.

_POOLED = {
    "step": "kernel_size if stride is None else stride",
    "fits(n, i)": "(n + 2 * PADDING - WIDE - 1 + (step[i] - 1 if ceil_mode else 0)) // step[i] + 1",
    "pooled(n, i)": "fits(n, i) - (1 if ceil_mode and (fits(n, i) - 1) * step[i] >= n + PADDING else 0)",
}


def _pools(padding, wide):
    return {head: body.replace("PADDING", padding).replace("WIDE", wide) for head, body in _POOLED.items()}


_MAX_POOLED = _pools("padding[i]", "dilation[i] * (kernel_size[i] - 1)")
_AVG_POOLED = _pools("padding[i]", "(kernel_size[i] - 1)")
_LP_POOLED = _pools("0", "(kernel_size[i] - 1)")
_ADAPTED = {"adapted(n, i)": "n if output_size[i] is None else output_size[i]"}
_UNPOOLED = {
    "step": "kernel_size if stride is None else stride",
    "unpooled(n, i)": "(n - 1) * step[i] - 2 * padding[i] + kernel_size[i]",
}
_FRACTION = {"part(n, i)": "floor(n * output_ratio[i]) if output_size is None else output_size[i]"}
_PADDING = {"padding": "sizes"}


def _pooling(rule, function, onnx, where, *cases, with_indices=False, **more):
    def make(name, n, space, size):
        result = f"[N?, C, {_each(n, function)}]"
        if with_indices:
            result = f"({result}, {result}) if return_indices else {result}"
        made = [(given(n) if callable(given) else given, f"{batch}{size}") for given, batch in cases]
        return _layer(name, rule.format(space=space) + result, onnx, made, where=where, dims=n, **more)

    return make


_IMAGES = "[N?, C, {space}] -> "
_MAX_POOL = _pooling(
    _IMAGES, "pooled", "MaxPool", _MAX_POOLED, (dict(kernel_size=2), "1x3x"),
    (dict(kernel_size=3, stride=2, padding=1, return_indices=True), "1x3x"),
    (dict(kernel_size=2, stride=3, ceil_mode=True), "3x"), (dict(kernel_size=2, stride=1, dilation=2), "1x3x"),
    with_indices=True, types=_PADDING,
)
_AVG_POOL = _pooling(
    _IMAGES, "pooled", "AveragePool", _AVG_POOLED, (dict(kernel_size=2), "1x3x"),
    (dict(kernel_size=3, stride=2, padding=1), "1x3x"), (dict(kernel_size=2, stride=3, ceil_mode=True), "3x"),
    types=_PADDING,
)
_LP_POOL = _pooling(
    _IMAGES, "pooled", "LpPool", _LP_POOLED, (dict(norm_type=2, kernel_size=2), "1x3x"),
    (dict(norm_type=2, kernel_size=2, stride=3, ceil_mode=True), "1x3x"),
)
_ADAPTIVE_AVG = _pooling(
    _IMAGES, "adapted",
    "GlobalAveragePool; that is of output_size 1, AveragePool where it divides the input, and no operator elsewhere",
    _ADAPTED, (dict(output_size=1), "1x3x"), (lambda n: dict(output_size=(3, 2, 4)[:n]), "1x3x"),
)
_ADAPTIVE_MAX = _pooling(
    _IMAGES, "adapted",
    "GlobalMaxPool; that is of output_size 1, MaxPool where it divides the input, and no operator elsewhere",
    _ADAPTED, (dict(output_size=2), "1x3x"), (dict(output_size=2, return_indices=True), "3x"), with_indices=True,
)
_FRACTIONAL = _pooling(
    _IMAGES, "part", "none: its windows are drawn at random in each pass", _FRACTION,
    (dict(kernel_size=2, output_size=2), "1x3x"), (dict(kernel_size=2, output_ratio=0.5, return_indices=True), "1x3x"),
    with_indices=True,
)


def _unpool(name, n, space, size):
    return _layer(
        name, f"[N?, C, {space}], [N?, C, {space}] -> [N?, C, {_each(n, 'unpooled')}]", "MaxUnpool",
        [(dict(kernel_size=2), f"1x3x{size}", f"1x3x{size} index<10"),
         (dict(kernel_size=3, stride=2, padding=1), f"1x3x{size}", f"1x3x{size} index<10")],
        where=_UNPOOLED, dims=n, types=_PADDING,
    )


# Padding.


def _pad(mode, more):
    def make(name, n, space, size):
        each = ", ".join([
            f"padding[{2 * (n - 1 - i)}] + {letter} + padding[{2 * (n - 1 - i) + 1}]"
            for i, letter in enumerate(_NAMES[n])
        ])
        given = {"value": 7.0} if name.startswith("Constant") else {}
        return _layer(
            name, f"[{more}, {space}] -> [{more}, {each}]", f"Pad; mode is {mode}",
            [(dict(given, padding=1), f"1x2x{size}"),
             (dict(given, padding=(1, 2, 0, 1, 2, 1)[:2 * n]), f"1x2x{size}")],
            dims=n, types={"padding": "pads"},
        )

    return make


# Norms and dropout, which keep the shape.


def _same(batch, features, onnx, given, sizes, is_length_free=False, **more):
    def make(name, n, space, size):
        each = batch.format(space="L?" if is_length_free and n == 1 else space, features=features)
        return _layer(name, f"{each} -> {each}", onnx, [(given, sizes + size)], **more)

    return make


_AFFINE = "num_features * affine * (1 + bias)"


def _norm(kind, onnx, batch, is_length_free=False):
    more = {"is_length_free": is_length_free, "types": {"momentum": "number?"}}
    usual = _same(batch, "num_features", onnx, dict(num_features=3), "2x3x", parameters=_AFFINE, **more)
    lazy = _same(batch, "C", onnx, {}, "2x3x", parameters="", **more)
    return [*_for_each(kind, usual), *_for_each(f"Lazy{kind}", lazy)]


SPATIAL = [
    *[row for kind in ("Conv", "ConvTranspose", "LazyConv", "LazyConvTranspose") for row in _for_each(kind, _conv)],
    *_for_each("MaxPool", _MAX_POOL), *_for_each("AvgPool", _AVG_POOL), *_for_each("LPPool", _LP_POOL),
    *_for_each("AdaptiveAvgPool", _ADAPTIVE_AVG), *_for_each("AdaptiveMaxPool", _ADAPTIVE_MAX),
    *_for_each("FractionalMaxPool", _FRACTIONAL, (2, 3)), *_for_each("MaxUnpool", _unpool),
    *_for_each("ConstantPad", _pad("constant", "*")), *_for_each("ZeroPad", _pad("constant", "*")),
    *_for_each("ReflectionPad", _pad("reflect", "N?, C")), *_for_each("ReplicationPad", _pad("edge", "N?, C")),
    *_for_each("CircularPad", _pad("wrap", "N?, C")),
    *_norm("BatchNorm", "BatchNormalization", "[N, {features}, {space}]", True),
    *_norm("InstanceNorm", "InstanceNormalization", "[N?, {features}, {space}]"),
    *_for_each("Dropout", _same(
        "[N?, C, {space}]", "", "Dropout, Mul; Dropout of one number for each channel", {}, "1x3x",
    )),
]
