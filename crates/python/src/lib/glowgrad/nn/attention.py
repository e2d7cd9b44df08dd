"""`nn.MultiheadAttention`, and `F.multi_head_attention_forward`, which computes it."""

import math
from warnings import warn

import _glowgrad as _C
from glowgrad._later import _later
from glowgrad._place import _placed
from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn import init
from glowgrad.nn.conv import _empty
from glowgrad.nn.linear import NonDynamicallyQuantizableLinear
from glowgrad.nn.module import Module

__all__ = tuple(_LATER["attention"])
# Loaded when first asked for.
__getattr__, __dir__ = _later(
    __name__, {"_attention_ways": ("SDPBackend", "sdpa_kernel")}, "glowgrad.nn"
)


def _float_mask(name, mask, dtype, other=None, other_name=""):
    """A mask as numbers to add: where a bool mask is True, attention may not look."""
    if mask is None:
        return None
    is_float = mask.is_floating_point()
    if mask.dtype != _C.bool and not is_float:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype != other.dtype:
        warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both "
            "instead."
        )
    if is_float:
        return mask
    with mask.device:
        return _C.full(mask.shape, 0.0, dtype, False).masked_fill(mask, -math.inf)


def _float_masks(padding, mask, dtype, names=("key_padding_mask", "attn_mask")):
    padding = _float_mask(names[0], padding, dtype, mask, names[1])
    return padding, _float_mask(names[1], mask, dtype)


def _check_dims(query, key, value, padding, mask, heads):
    n = query.dim()
    if n not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {n}-D query tensor"
        )
    start = "For batched (3-D) `query`" if n == 3 else "For unbatched (2-D) `query`"
    if key.dim() != n or value.dim() != n:
        raise AssertionError(
            f"{start}, expected `key` and `value` to be {n}-D but found {key.dim()}-D and "
            f"{value.dim()}-D tensors respectively"
        )
    if padding is not None and padding.dim() != n - 1:
        raise AssertionError(
            f"{start}, expected `key_padding_mask` to be `None` or {n - 1}-D but found "
            f"{padding.dim()}-D tensor instead"
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(
            f"{start}, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D "
            "tensor instead"
        )
    if mask is not None and n == 2 and mask.dim() == 3:
        wanted = (heads, query.shape[0], key.shape[0])
        if tuple(mask.shape) != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {mask.shape}")


def _is(condition, message):
    if not condition:
        raise AssertionError(message)


def _projected(query, key, value, weight, bias):
    """Query, key and value times the three parts of one weight; equal tensors share a product."""
    size = query.shape[-1]
    if query is key and key is value:
        return F.linear(query, weight, bias).chunk(3, -1)
    if key is value:
        parts = [size, 2 * size]
        first, both = weight.split(parts)
        first_bias, both_bias = (None, None) if bias is None else bias.split(parts)
        return F.linear(query, first, first_bias), *F.linear(key, both, both_bias).chunk(2, -1)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    given = zip((query, key, value), weight.chunk(3), biases)
    return [F.linear(x, part, part_bias) for x, part, part_bias in given]


def _projected_apart(tensors, weights, bias):
    size = tensors[0].shape[-1]
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    projected = []
    for name, x, weight, part in zip(("query", "key", "value"), tensors, weights, biases):
        shape = (size, x.shape[-1])
        _is(tuple(weight.shape) == shape,
            f"expecting {name} weights shape of {shape}, but got {weight.shape}")
        _is(part is None or tuple(part.shape) == (size,),
            f"expecting {name} bias shape of {(size,)}, but got {part is not None and part.shape}")
        projected.append(F.linear(x, weight, part))
    return projected


def _static(name, static, heads, size):
    """Keys or values that are given for each head instead of projected."""
    for dim, wanted in ((0, heads), (2, size)):
        _is(static.shape[dim] == wanted,
            f"expecting static_{name}.size({dim}) of {wanted}, but got {static.shape[dim]}")
    return static


def multi_head_attention_forward(
        query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k,
        bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True,
        key_padding_mask=None, need_weights=True, attn_mask=None, use_separate_proj_weight=False,
        q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
        average_attn_weights=True, is_causal=False):
    """What `nn.MultiheadAttention` computes, with its weights as arguments: [L, N, E].

    >>> x, w, b = torch.randn(5, 1, 4), torch.eye(4), torch.zeros(4)
    >>> nothing = (None, None, None, False, 0.0)
    >>> y, weights = F.multi_head_attention_forward(x, x, x, 4, 2, w.repeat(3, 1), *nothing, w, b)
    >>> y.shape, weights.shape
    """
    _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    batched = query.dim() == 3
    if not batched:
        same = query is key, key is value
        query = query.unsqueeze(1)
        key = query if same[0] else key.unsqueeze(1)
        value = key if same[1] else value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    (length, batch, size), source = query.shape, key.shape[0]
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )
    padding, mask = _float_masks(key_padding_mask, attn_mask, query.dtype)
    is_causal = is_causal and padding is None
    if is_causal and not need_weights:
        mask = None
    _is(size == embed_dim_to_check,
        f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    each = size // num_heads
    _is(each * num_heads == size, f"embed_dim {size} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        _is(key.shape[:2] == value.shape[:2],
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
        weights = q_proj_weight, k_proj_weight, v_proj_weight
        for name, weight in zip("qkv", weights):
            _is(weight is not None,
                f"use_separate_proj_weight is True but {name}_proj_weight is None")
        q, k, v = _projected_apart((query, key, value), weights, in_proj_bias)
    else:
        _is(key.shape == value.shape,
            f"key shape {key.shape} does not match value shape {value.shape}")
        _is(in_proj_weight is not None,
            "use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
    if mask is not None:
        n = mask.dim()
        expected = (length, source) if n == 2 else (batch * num_heads, length, source)
        if tuple(mask.shape) != expected:
            raise RuntimeError(
                f"The shape of the {n}D attn_mask is {mask.shape}, but should be {expected}."
            )
        mask = mask.reshape(-1 if n == 2 else batch, 1 if n == 2 else num_heads, length, source)
    _is(bias_k is None or bias_v is not None, "bias_k is set but bias_v is None")
    _is(bias_v is None or bias_k is not None, "bias_v is set but bias_k is None")
    more = 0
    if bias_k is not None:
        _is(static_k is None, "bias cannot be added to static key.")
        _is(static_v is None, "bias cannot be added to static value.")
        k, v = (_C.cat([x, bias.repeat(1, batch, 1)]) for x, bias in ((k, bias_k), (v, bias_v)))
        more += 1

    def heads(x):
        return x.reshape(x.shape[0], batch, num_heads, each).permute(1, 2, 0, 3)

    def given(name, static):
        static = _static(name, static, batch * num_heads, each)
        return static.unflatten(0, (batch, num_heads))

    q = heads(q)
    k = heads(k) if static_k is None else given("k", static_k)
    v = heads(v) if static_v is None else given("v", static_v)
    if add_zero_attn:
        nothing = k.new_zeros(batch, num_heads, 1, each)
        k, v = _C.cat([k, nothing], 2), _C.cat([v, nothing], 2)
        more += 1
    if more and mask is not None:
        mask = F.pad(mask, (0, more))
    if more and padding is not None:
        padding = F.pad(padding, (0, more))
    if padding is not None:
        for dim, (got, wanted) in enumerate(zip(padding.shape, (batch, k.shape[2]))):
            _is(got == wanted,
                f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {got}")
        padding = padding.reshape(batch, 1, 1, k.shape[2])
        mask = padding if mask is None else mask + padding
    if not training:
        dropout_p = 0.0
    weights = None
    if need_weights:
        scores = (q * math.sqrt(1.0 / each)) @ k.transpose(-2, -1)
        weights = F.softmax(scores if mask is None else mask + scores, -1)
        if dropout_p > 0.0:
            weights = F.dropout(weights, dropout_p)
        y = weights @ v
    else:
        y = F.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
    y = F.linear(y.permute(2, 0, 1, 3).reshape(length, batch, size), out_proj_weight, out_proj_bias)
    if weights is not None and average_attn_weights:
        weights = weights.mean(1)
    if batched:
        return y, weights
    return y.squeeze(1), None if weights is None else weights.squeeze(0)


class MultiheadAttention(Module):
    """Several attentions side by side, each on a part of the features.

    >>> attention = nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = torch.randn(1, 5, 8)
    >>> y, weights = attention(x, x, x)
    >>> y.shape, weights.shape
    """

    @_placed
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False,
                 add_zero_attn=False, kdim=None, vdim=None, batch_first=False, dtype=None):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, "
                f"got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first = dropout, batch_first
        self.head_dim = embed_dim // num_heads
        _is(self.head_dim * num_heads == embed_dim, "embed_dim must be divisible by num_heads")
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        sizes = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = _empty(3 * embed_dim, embed_dim, dtype=dtype)
            for name in sizes:
                self.register_parameter(name, None)
        else:
            for name, size in sizes.items():
                self.register_parameter(name, _empty(embed_dim, size, dtype=dtype))
            self.register_parameter("in_proj_weight", None)
        in_proj_bias = _empty(3 * embed_dim, dtype=dtype) if bias else None
        self.register_parameter("in_proj_bias", in_proj_bias)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, dtype=dtype)
        for name in ("bias_k", "bias_v"):
            setattr(self, name, _empty(1, 1, embed_dim, dtype=dtype) if add_bias_kv else None)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True, is_causal=False):
        """The attended values, and with need_weights how much each query looked at each key.

        >>> attention, x = nn.MultiheadAttention(4, 2), torch.randn(3, 1, 4)
        >>> attention.forward(x, x, x, need_weights=False)[0].shape
        """
        turned = self.batch_first and query.dim() == 3
        if turned:
            same = query is key, key is value
            query = query.transpose(0, 1)
            key = query if same[0] else key.transpose(0, 1)
            value = key if same[1] else value.transpose(0, 1)
        y, weights = multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, self.training, key_padding_mask, need_weights,
            attn_mask, not self._qkv_same_embed_dim, self.q_proj_weight, self.k_proj_weight,
            self.v_proj_weight, None, None, average_attn_weights, is_causal,
        )
        return y.transpose(0, 1) if turned else y, weights

    def merge_masks(self, attn_mask, key_padding_mask, query):
        """Both masks as one for each head, and its kind: 1 of keys alone, 2 of queries and keys.

        >>> attention, x = nn.MultiheadAttention(4, 2), torch.randn(1, 3, 4)
        >>> merged, kind = attention.merge_masks(torch.zeros(3, 3), torch.zeros(1, 3), x)
        >>> merged.shape, kind
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length)
            merged = merged.expand(batch, self.num_heads, length, length)
        if key_padding_mask is not None:
            padding = key_padding_mask.view(batch, 1, 1, length)
            merged = merged + padding.expand(batch, self.num_heads, 1, length)
        return merged, 2
