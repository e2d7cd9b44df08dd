"""`nn.MultiheadAttention`."""

import math

from glowgrad._place import _placed
from glowgrad.nn import functional as F
from glowgrad.nn import init
from glowgrad.nn.conv import _empty
from glowgrad.nn.module import Module

__all__ = (
    "MultiheadAttention",
)


class NonDynamicallyQuantizableLinear(Module):
    """The linear layer at the end of attention, under the name that PyTorch prints."""

    @_placed
    def __init__(self, in_features, out_features, bias=True, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _empty(out_features, in_features, dtype=dtype)
        self.register_parameter("bias", _empty(out_features, dtype=dtype) if bias else None)
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(in_features)
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class MultiheadAttention(Module):
    """Several attentions side by side, each on a part of the features.

    >>> attention = nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = torch.randn(1, 5, 8)
    >>> y, weights = attention(x, x, x)
    >>> y.shape, weights.shape
    """

    @_placed
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False,
                 add_zero_attn=False, kdim=None, vdim=None, batch_first=False,
                 dtype=None):
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, "
                f"got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError(
                "MultiheadAttention: add_bias_kv and add_zero_attn are not supported"
            )
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first = dropout, batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
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
        self._reset_parameters()

    def _reset_parameters(self):
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)

    def _projected(self, query, key, value):
        e = self.embed_dim
        if self._qkv_same_embed_dim:
            weights = [self.in_proj_weight[i * e:(i + 1) * e] for i in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        biases = [None] * 3
        if self.in_proj_bias is not None:
            biases = [self.in_proj_bias[i * e:(i + 1) * e] for i in range(3)]
        triples = zip((query, key, value), weights, biases)
        return [F.linear(x, weight, bias) for x, weight, bias in triples]

    def _added(self, mask, dtype):
        """A mask as numbers to add: where a bool mask is True, attention may not look."""
        if mask is None or mask.is_floating_point():
            return mask
        return (mask.to(dtype) * 0).masked_fill(mask, -math.inf)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True, is_causal=False):
        if is_causal and attn_mask is None:
            raise RuntimeError(
                "Need attn_mask if specifying the is_causal hint."
            )
        batched = query.dim() == 3
        if not batched:
            query, key, value = (x.unsqueeze(1) for x in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        length, batch, _ = query.shape
        source = key.shape[0]
        heads, size = self.num_heads, self.head_dim
        q, k, v = (
            x.reshape(x.shape[0], batch, heads, size).permute(1, 2, 0, 3)
            for x in self._projected(query, key, value)
        )
        mask = self._added(attn_mask, q.dtype)
        if mask is not None and mask.dim() == 3:
            mask = mask.reshape(batch, heads, length, source)
        padding = self._added(key_padding_mask, q.dtype)
        if padding is not None:
            padding = padding.reshape(batch, 1, 1, source)
            mask = padding if mask is None else mask + padding
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            scores = (q * math.sqrt(1.0 / size)) @ k.transpose(-2, -1)
            weights = F.softmax(scores if mask is None else scores + mask, -1)
            weights = F.dropout(weights, dropout)
            y = weights @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, mask, dropout)
        y = self.out_proj(y.permute(2, 0, 1, 3).reshape(length, batch, self.embed_dim))
        if not batched:
            y = y.squeeze(1)
        elif self.batch_first:
            y = y.transpose(0, 1)
        if not need_weights:
            return y, None
        if average_attn_weights:
            weights = weights.mean(1)
        return y, weights if batched else weights.squeeze(0)
