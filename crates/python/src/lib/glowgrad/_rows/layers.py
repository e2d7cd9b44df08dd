"""Rows of layers: activations, products, tables, norms, shapes, recurrent layers, attention. Those that come for
signals, images and volumes are in `space.py`.

A row is one call: the name, the shape rule, the ONNX operators, and cases, each the arguments and the inputs for
which a forward pass must give what the rule gives. An activation without options needs none: its class says it.
"""

from glowgrad._rows.row import Made, Row
from glowgrad.nn import activation, rare_activation

_SAME = "[*] -> [*]"
_MADE_OF = "none: it is made of the layers in it, which have operators"


def _layer(name, rules, onnx, *cases, **more):
    return Row(name, "layer", rules, onnx, cases, **more)


def _activation(name, onnx, is_torch=True, **given):
    return _layer(name, _SAME, onnx, (given, "2x3"), is_torch=is_torch)


_ACTIVATIONS = [
    _activation("ReLU", "Relu"),
    _activation("ReLU6", "Clip"),
    *[
        _activation(cls.__name__, cls._onnx, cls._is_torch) for module in (activation, rare_activation)
        for cls in [getattr(module, name) for name in module.__all__] if issubclass(cls, activation._Activation)
    ],
    _activation("SiLU", "Sigmoid, Mul"),
    _activation("Mish", "Mish; from opset 18"),
    _activation("SELU", "Selu"),
    _activation("ELU", "Elu"),
    _activation("CELU", "Celu"),
    _activation("LeakyReLU", "LeakyRelu"),
    _activation("RReLU", "LeakyRelu; with the slope of eval()"),
    _activation("Hardtanh", "Clip"),
    _activation("Softplus", "Softplus; another beta than 1 is a Mul before it and a Div after it"),
    _activation("GELU", "Gelu; from opset 20"),
    _activation("Hardsigmoid", "HardSigmoid"),
    _activation("Hardswish", "HardSwish"),
    _activation("Threshold", "Greater, Where", threshold=0.5, value=0.0),
    _activation("Softshrink", "Shrink"),
    _activation("Hardshrink", "Shrink"),
    _layer(
        "PReLU", _SAME, "PRelu", ({}, "2x3"), (dict(num_parameters=3), "2x3x4"), parameters="num_parameters",
    ),
    _activation("Softmax", "Softmax", dim=1),
    _activation("LogSoftmax", "LogSoftmax", dim=1),
    _activation("Softmin", "Neg, Softmax", dim=1),
    _layer("Softmax2d", "[N?, C, H, W] -> [N?, C, H, W]", "Softmax; axis is -3", ({}, "1x2x3x3"), ({}, "2x3x3")),
    _layer(
        "GLU", "[*S] -> [*S[:at], S[at] // 2, *S[at + 1:]]", "Split, Sigmoid, Mul", ({}, "2x6"), (dict(dim=0), "4x3"),
        where={"at": "dim % len(S)"},
    ),
]

_TABLE = "num_embeddings * embedding_dim"

_PRODUCTS = [
    _layer("Identity", _SAME, "Identity", ({}, "2x3")),
    _layer(
        "Linear", "[*, in_features] -> [*, out_features]", "Gemm; a MatMul and an Add beyond two dimensions",
        (dict(in_features=3, out_features=2), "5x3"), (dict(in_features=3, out_features=2, bias=False), "3"),
        (dict(in_features=3, out_features=2), "2x4x3"), parameters="out_features * (in_features + bias)",
    ),
    _layer(
        "LazyLinear", "[*, in_features] -> [*, out_features]", "Gemm; a MatMul and an Add beyond two dimensions",
        (dict(out_features=2), "5x3"), parameters="",
    ),
    _layer(
        "Bilinear", "[*, in1_features], [*, in2_features] -> [*, out_features]", "Einsum, Add",
        (dict(in1_features=2, in2_features=3, out_features=4), "5x2", "5x3"),
        parameters="out_features * (in1_features * in2_features + bias)",
    ),
    _layer(
        "Embedding", "[*] -> [*, embedding_dim]", "Gather", (dict(num_embeddings=10, embedding_dim=4), "2x3 index<10"),
        (dict(num_embeddings=10, embedding_dim=4, padding_idx=1), "3 index<10"), parameters=_TABLE,
    ),
    _layer(
        "EmbeddingBag", ("[N, L] -> [N, embedding_dim]", "[L], [N] -> [N - include_last_offset, embedding_dim]"),
        "Gather, ReduceMean; ReduceSum and ReduceMax of other modes",
        (dict(num_embeddings=10, embedding_dim=4), "2x3 index<10"),
        (dict(num_embeddings=10, embedding_dim=4, mode="sum"), "5 index<10", "1 =0"), types={"mode": "sum|mean|max"},
        parameters=_TABLE,
    ),
    _layer(
        "AdaptiveLogSoftmaxWithLoss", "[N?, in_features], [N?] -> ([N?], [])",
        "none: which of its layers run depends on the targets", (
            dict(in_features=8, n_classes=10, cutoffs=(4, 7)), "3x8", "3 index<10",
        ), reads={"cutoffs": lambda module: module.cutoffs[:-1]}, parameters="",
    ),
    _layer(
        "CosineSimilarity", "[*S], [*S] -> [*S[:at], *S[at + 1:]]", "Mul, ReduceSum, ReduceL2, ReduceL2, Mul, Div",
        ({}, "2x3", "2x3"), (dict(dim=0), "2x3", "2x3"), where={"at": "dim % len(S)"},
    ),
    _layer(
        "PairwiseDistance", "[*, D], [*, D] -> [*, 1] if keepdim else [*]", "Sub, Add, ReduceL2; of p=2",
        ({}, "2x3", "2x3"), (dict(keepdim=True), "2x3", "2x3"), types={"p": "number"},
        reads={"p": lambda module: module.norm},
    ),
]

_NORMS = [
    _layer(
        "SyncBatchNorm", "[N, num_features, *] -> [N, num_features, *]", "BatchNormalization",
        (dict(num_features=3), "2x3x4"), types={"momentum": "number?"}, parameters="2 * num_features * affine",
    ),
    _layer(
        "LayerNorm", "[*, *normalized_shape] -> [*, *normalized_shape]", "LayerNormalization; from opset 17",
        (dict(normalized_shape=3), "2x3"), (dict(normalized_shape=(2, 3), bias=False), "4x2x3"),
        parameters="prod(normalized_shape) * elementwise_affine * (1 + bias)",
    ),
    _layer(
        "RMSNorm", "[*, *normalized_shape] -> [*, *normalized_shape]", "RMSNormalization; from opset 23",
        (dict(normalized_shape=3), "2x3"), parameters="prod(normalized_shape) * elementwise_affine",
    ),
    _layer(
        "GroupNorm", "[N, num_channels, *] -> [N, num_channels, *]", "GroupNormalization; from opset 21",
        (dict(num_groups=2, num_channels=4), "2x4x3"), parameters="2 * num_channels * affine",
        divisible={"num_channels": "num_groups"},
    ),
    _layer("LocalResponseNorm", "[N, C, *] -> [N, C, *]", "LRN", (dict(size=3), "1x4x2")),
    _layer(
        "CrossMapLRN2d", "[N, C, H, W] -> [N, C, H, W]", "none: LRN does not keep the first channel in its sum",
        (dict(size=3), "1x4x2x2"),
    ),
    _layer("Dropout", _SAME, "Dropout", ({}, "2x3")),
    *[
        _layer(name, _SAME, "none: it draws in training alone, and a model that is exported does not train", ({}, size))
        for name, size in (("AlphaDropout", "2x3"), ("FeatureAlphaDropout", "2x3x4"))
    ],
]

_BLOCKS = {
    "blocks(n, i)": "(n + 2 * padding[i] - dilation[i] * (kernel_size[i] - 1) - 1) // stride[i] + 1",
}
_SIZES = {"padding": "sizes"}
_RESIZED = tuple(
    f"[N, C, {names}] -> [N, C, {', '.join([f'new({name}, {i})' for i, name in enumerate(names.split(', '))])}]"
    for names in ("L", "H, W", "D, H, W")
)
_NEW = {"new(n, i)": "floor(n * scale_factor[i]) if size is None else size[i]"}

_SHAPES = [
    _layer(
        "Flatten", "[*S] -> [*S[:first], prod(S[first:last + 1]), *S[last + 1:]]",
        "Flatten; a Reshape unless start_dim is 1 and end_dim -1", ({}, "2x3x4"), (dict(start_dim=0, end_dim=1), "2x3x4"),
        where={"first": "start_dim % len(S)", "last": "end_dim % len(S)"},
    ),
    _layer(
        "Unflatten", "[*S] -> [*S[:at], *inferred(unflattened_size, S[at]), *S[at + 1:]]", "Reshape",
        (dict(dim=1, unflattened_size=(2, 3)), "4x6"), (dict(dim=-1, unflattened_size=(-1, 3)), "4x6"),
        where={"at": "dim % len(S)"},
    ),
    _layer(
        "Unfold", "[N?, C, H, W] -> [N?, C * prod(kernel_size), blocks(H, 0) * blocks(W, 1)]",
        "Gather, Transpose, Reshape", (dict(kernel_size=2), "1x3x4x5"),
        (dict(kernel_size=(2, 3), padding=1, stride=2), "3x4x5"), where=_BLOCKS, dims=2, types=_SIZES,
    ),
    _layer(
        "Fold", "[N?, C, L] -> [N?, C // prod(kernel_size), output_size[0], output_size[1]]", "Col2Im; from opset 18",
        (dict(output_size=(3, 3), kernel_size=2), "1x4x4"), (dict(output_size=3, kernel_size=2), "8x4"), dims=2,
        types=_SIZES,
    ),
    _layer(
        "PixelShuffle", "[*, C, H, W] -> [*, C // upscale_factor ** 2, H * upscale_factor, W * upscale_factor]",
        "DepthToSpace; mode is CRD", (dict(upscale_factor=2), "1x4x3x3"),
        divisible={"C": "upscale_factor ** 2"},
    ),
    _layer(
        "PixelUnshuffle",
        "[*, C, H, W] -> [*, C * downscale_factor ** 2, H // downscale_factor, W // downscale_factor]",
        "Reshape, Transpose, Reshape; SpaceToDepth puts the channels in another order",
        (dict(downscale_factor=2), "1x1x6x4"), divisible={"H": "downscale_factor", "W": "downscale_factor"},
    ),
    _layer(
        "ChannelShuffle", "[N, C, *] -> [N, C, *]", "Reshape, Transpose, Reshape", (dict(groups=2), "1x4x3"),
        divisible={"C": "groups"},
    ),
    _layer(
        "Upsample", _RESIZED, "Resize", (dict(scale_factor=2), "1x2x3x3"),
        (dict(size=(4, 5), mode="bilinear", align_corners=True), "1x2x3x3"), (dict(scale_factor=2.5), "1x2x3"),
        (dict(size=4), "1x1x2x2x2"), where=_NEW, dims=(1, 2, 3), types={
            "size": "sizes?", "mode": "nearest|linear|bilinear|bicubic|trilinear|area|nearest-exact",
        },
    ),
    *[
        _layer(
            name, _RESIZED[1], "Resize", (dict(scale_factor=2), "1x2x3x3"), (dict(size=(4, 5)), "1x2x3x3"),
            where=_NEW, dims=2, types={"size": "sizes?"},
        ) for name in ("UpsamplingNearest2d", "UpsamplingBilinear2d")
    ],
]

_STACKED = {"directions": "2 if bidirectional else 1", "stacked": "directions * num_layers"}
_BATCH = "A if batch_first else B"


def _gates(n):
    """The parameters of a recurrent layer with so many gates."""
    return (
        f"{n} * hidden_size * directions * (input_size + hidden_size + 2 * bias "
        "+ (num_layers - 1) * (directions * hidden_size + hidden_size + 2 * bias))"
    )


def _recurrent(name, onnx, output, batched, alone, where, **more):
    return _layer(
        name, (f"[A, B, input_size] -> ([A, B, directions * {output}], {batched})",
               f"[L, input_size] -> ([L, directions * {output}], {alone})"),
        onnx, (dict(input_size=3, hidden_size=4), "5x2x3"),
        (dict(input_size=3, hidden_size=4, num_layers=2, batch_first=True, bidirectional=True), "2x5x3"),
        (dict(input_size=3, hidden_size=4, bias=False), "5x3"), *more.pop("cases", ()), where=where, **more,
    )


def _cell(name, onnx, result, gates):
    return _layer(
        name, f"[N?, input_size] -> {result}", f"{onnx}; of one step", (dict(input_size=3, hidden_size=4), "2x3"),
        (dict(input_size=3, hidden_size=4, bias=False), "3"),
        parameters=f"{gates} * hidden_size * (input_size + hidden_size + 2 * bias)",
    )


_RECURRENT = [
    *[
        _recurrent(
            name, onnx, "hidden_size", f"[stacked, {_BATCH}, hidden_size]", "[stacked, hidden_size]",
            _STACKED, parameters=_gates(gates),
        ) for name, onnx, gates in (("RNN", "RNN", 1), ("GRU", "GRU; linear_before_reset is 1", 3))
    ],
    _recurrent(
        "LSTM", "LSTM; with proj_size none", "state",
        f"([stacked, {_BATCH}, state], [stacked, {_BATCH}, hidden_size])", "([stacked, state], [stacked, hidden_size])",
        {**_STACKED, "state": "proj_size or hidden_size"},
        cases=((dict(input_size=3, hidden_size=4, num_layers=2, proj_size=2, bidirectional=True), "5x2x3"),),
        parameters=(
            "directions * (num_layers * proj_size * hidden_size + 4 * hidden_size * (input_size + state + 2 * bias "
            "+ (num_layers - 1) * (directions * state + state + 2 * bias)))"
        ),
    ),
    _cell("RNNCell", "RNN", "[N?, hidden_size]", 1),
    _cell("LSTMCell", "LSTM", "([N?, hidden_size], [N?, hidden_size])", 4),
    _cell("GRUCell", "GRU", "[N?, hidden_size]", 3),
]


def _is_there(path):
    """Reads whether a parameter below a module is there."""
    def read(module):
        for name in path.split("."):
            module = getattr(module, name)
        return module is not None

    return read


def _at(path):
    """Reads an attribute below a module; a number is a place in a list."""
    def read(module):
        for name in path.split("."):
            module = module[int(name)] if name.isdigit() else getattr(module, name)
        return module

    return read


# Parameters of an attention, of what stands behind it, and of a norm, inside a transformer.
_HEADS = "4 * d_model * (d_model + bias)"
_FORWARD = "(2 * d_model * dim_feedforward + bias * (d_model + dim_feedforward))"
_NORM = "d_model * (1 + bias)"
_ENCODER_LAYER = f"{_HEADS} + {_FORWARD} + 2 * {_NORM}"
_DECODER_LAYER = f"2 * {_HEADS} + {_FORWARD} + 3 * {_NORM}"

_OF_A_LAYER = {
    "d_model": _at("linear1.in_features"), "nhead": _at("self_attn.num_heads"),
    "dim_feedforward": _at("linear1.out_features"), "dropout": _at("dropout.p"), "activation": _at("activation"),
    "layer_norm_eps": _at("norm1.eps"), "batch_first": _at("self_attn.batch_first"),
    "bias": _is_there("linear1.bias"),
}
_SMALL = dict(d_model=8, nhead=2, dim_feedforward=16)
_KEPT = "[*, d_model] -> [*, d_model]"


def _of_stack(name):
    """Reads an argument of a transformer's layers from the first of them."""
    return lambda module: _OF_A_LAYER[name](module.encoder.layers[0])


_ATTENTION = [
    _layer(
        "MultiheadAttention", (
            "[A, B, embed_dim], [X, Y, K], [X, Y, V] -> ([A, B, embed_dim], [A, B, Y + more] if batch_first "
            "else [B, A, X + more])",
            "[L, embed_dim], [S, K], [S, V] -> ([L, embed_dim], [L, S + more])",
        ), "MatMul, Add, Attention, MatMul, Add; Attention from opset 23",
        (dict(embed_dim=8, num_heads=2, batch_first=True), "2x5x8", "2x4x8", "2x4x8"),
        (dict(embed_dim=8, num_heads=2, kdim=3, vdim=6, add_zero_attn=True), "5x2x8", "4x2x3", "4x2x6"),
        (dict(embed_dim=8, num_heads=2, bias=False, add_bias_kv=True), "5x8", "4x8", "4x8"),
        where={"more": "(1 if add_bias_kv else 0) + (1 if add_zero_attn else 0)"}, divisible={"embed_dim": "num_heads"},
        reads={"bias": _is_there("in_proj_bias"), "add_bias_kv": _is_there("bias_k")}, parameters=(
            "embed_dim * (2 * embed_dim + (kdim or embed_dim) + (vdim or embed_dim) + 4 * bias + 2 * add_bias_kv)"
        ),
    ),
    _layer(
        "TransformerEncoderLayer", _KEPT, _MADE_OF, (dict(_SMALL, batch_first=True), "2x5x8"),
        (dict(_SMALL, activation="gelu", norm_first=True, bias=False), "5x8"), reads=_OF_A_LAYER,
        parameters=_ENCODER_LAYER, divisible={"d_model": "nhead"},
    ),
    _layer(
        "TransformerDecoderLayer", "[*, d_model], [*memory, d_model] -> [*, d_model]", _MADE_OF,
        (dict(_SMALL, batch_first=True), "2x3x8", "2x5x8"), reads=_OF_A_LAYER, parameters=_DECODER_LAYER,
        divisible={"d_model": "nhead"},
    ),
    _layer(
        "TransformerEncoder", _SAME, _MADE_OF,
        (dict(encoder_layer=Made("TransformerEncoderLayer", **_SMALL), num_layers=2), "5x2x8"),
        (dict(encoder_layer=Made("TransformerEncoderLayer", **_SMALL), num_layers=1,
              norm=Made("LayerNorm", normalized_shape=8)), "5x2x8"),
        reads={"encoder_layer": _at("layers.0")}, parameters="",
    ),
    _layer(
        "TransformerDecoder", "[*], [*memory] -> [*]", _MADE_OF,
        (dict(decoder_layer=Made("TransformerDecoderLayer", **_SMALL), num_layers=2), "3x2x8", "5x2x8"),
        reads={"decoder_layer": _at("layers.0")}, parameters="",
    ),
    _layer(
        "Transformer", "[*source, d_model], [*, d_model] -> [*, d_model]", _MADE_OF,
        (dict(_SMALL, num_encoder_layers=1, num_decoder_layers=2, batch_first=True), "2x5x8", "2x3x8"),
        reads={
            "num_encoder_layers": _at("encoder.num_layers"), "num_decoder_layers": _at("decoder.num_layers"),
            "custom_encoder": lambda module: None, "custom_decoder": lambda module: None,
            "norm_first": _at("encoder.layers.0.norm_first"), "batch_first": _at("batch_first"),
            **{name: _of_stack(name) for name in
               ("dim_feedforward", "dropout", "activation", "layer_norm_eps", "bias")},
        }, parameters=(
            f"num_encoder_layers * ({_ENCODER_LAYER}) + num_decoder_layers * ({_DECODER_LAYER}) + 2 * {_NORM}"
        ), divisible={"d_model": "nhead"},
    ),
    _layer(
        "PositionalEncoding", _KEPT, "Add; of a constant", (dict(d_model=8, max_len=16), "5x2x8"),
        (dict(d_model=8, max_len=16, batch_first=True), "2x5x8"), reads={"dropout": _at("dropout.p")},
        is_torch=False,
    ),
    _layer(
        "RotaryPositionalEmbeddings", "[N, L, heads, dim] -> [N, L, heads, dim]",
        "RotaryEmbedding; interleaved, from opset 23", (dict(dim=4, max_seq_len=8), "2x5x3x4"),
        types={"dim": "size"}, is_torch=False,
    ),
    _layer(
        "KVCache",
        "[batch_size, num_kv_heads, L, head_dim], [batch_size, num_kv_heads, L, head_dim] -> "
        "([batch_size, num_kv_heads, L, head_dim], [batch_size, num_kv_heads, L, head_dim])",
        "none: it keeps what one pass leaves to the next; ONNX's Attention has inputs for it",
        (dict(batch_size=1, max_seq_len=8, num_kv_heads=2, head_dim=4), "1x2x3x4", "1x2x3x4"), call="update",
        reads={
            "batch_size": lambda module: module.k_cache.shape[0],
            "num_kv_heads": lambda module: module.k_cache.shape[1],
            "head_dim": lambda module: module.k_cache.shape[3],
        }, is_torch=False,
    ),
    _layer(
        "GroupedQueryAttention", "[N, L, embed_dim] -> [N, L, embed_dim]",
        "MatMul, Attention, MatMul; Attention from opset 23", (dict(embed_dim=8, num_heads=4, num_kv_heads=2), "1x5x8"),
        (dict(embed_dim=8, num_heads=2, bias=True,
              pos_embeddings=Made("RotaryPositionalEmbeddings", dim=4, max_seq_len=8)), "1x5x8"),
        reads={"bias": _is_there("q_proj.bias")}, is_torch=False,
        divisible={"embed_dim": "num_heads", "num_heads": "(num_kv_heads or num_heads)"},
        parameters="2 * (embed_dim + (num_kv_heads or num_heads) * (embed_dim // num_heads)) * (embed_dim + bias)",
    ),
]

LAYERS = [*_ACTIVATIONS, *_PRODUCTS, *_NORMS, *_SHAPES, *_RECURRENT, *_ATTENTION]
