"""The transformer (Vaswani and others, 2017), with PyTorch's options."""

import copy

import _glowgrad as _C
from glowgrad._place import _placed
from glowgrad.nn import _LATER, GELU, Dropout, LayerNorm, Linear, ModuleList, ReLU
from glowgrad.nn import functional as F
from glowgrad.nn import init
from glowgrad.nn.attention import MultiheadAttention, _float_masks
from glowgrad.nn.module import Module

__all__ = tuple(_LATER["transformer"])


@_placed
def _causal_mask(sz, dtype=None):
    """−inf above the diagonal, 0 elsewhere: no step looks at later ones."""
    return _C.triu(_C.full((sz, sz), float("-inf"), dtype, False), 1)


def _is_causal(mask, is_causal, x, batch_first):
    """Whether a mask, of which nothing was said, is the causal one."""
    if is_causal is not None or mask is None:
        return is_causal is True
    if _C.is_capturing():
        return False
    causal = _causal_mask(x.shape[0 if x.dim() == 2 or not batch_first else 1], dtype=mask.dtype,
                          device=mask.device)
    return mask.shape == causal.shape and _C.quietly(lambda: bool((mask == causal).all()))


def _activation(activation):
    if not isinstance(activation, str):
        return F.relu if activation is None else activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation)


def _copies(module, n):
    return ModuleList([copy.deepcopy(module) for _ in range(n)])


class _Layer(Module):
    """Blocks of a layer: each is added to its input, with a norm before it or after the sum."""

    _last_dropout = "dropout2"

    def _prepare(self, d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first,
                 bias, n_norms, dtype):
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        for i in range(1, n_norms + 1):
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
            setattr(self, f"norm{i}", norm)
        for i in range(1, n_norms + 1):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def _through(self, x, *blocks):
        for i, block in enumerate(blocks, 1):
            norm = getattr(self, f"norm{i}")
            x = x + block(norm(x)) if self.norm_first else norm(x + block(x))
        return x

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        y, _ = self.self_attn(x, x, x, key_padding_mask, False, attn_mask, is_causal=is_causal)
        return self.dropout1(y)

    def _ff_block(self, x):
        y = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return getattr(self, self._last_dropout)(y)


class TransformerEncoderLayer(_Layer):
    """Self-attention and a network for each step, both added to what goes in.

    >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> layer(torch.randn(1, 5, 8)).shape
    """

    @_placed
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu,
                 layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, dtype=None):
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, dtype=dtype
        )
        self._prepare(d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first,
                      bias, 2, dtype)
        given = self.activation
        kinds = ((F.relu, ReLU), (F.gelu, GELU))
        self.activation_relu_or_gelu = sum([
            i for i, (function, kind) in enumerate(kinds, 1)
            if given is function or isinstance(given, kind)
        ])

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        padding, mask = _float_masks(
            src_key_padding_mask, src_mask, src.dtype, ("src_key_padding_mask", "src_mask")
        )
        return self._through(
            src, lambda x: self._sa_block(x, mask, padding, is_causal), self._ff_block
        )


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's result, and a network for each step.

    >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> layer(torch.randn(1, 3, 8), memory=torch.randn(1, 5, 8)).shape
    """

    _last_dropout = "dropout3"

    @_placed
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu,
                 layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, dtype=None):
        super().__init__()
        for name in ("self_attn", "multihead_attn"):
            setattr(self, name, MultiheadAttention(
                d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, dtype=dtype
            ))
        self._prepare(d_model, dim_feedforward, dropout, activation, layer_norm_eps, norm_first,
                      bias, 3, dtype)

    def _mha_block(self, x, memory, attn_mask, key_padding_mask, is_causal=False):
        y, _ = self.multihead_attn(
            x, memory, memory, key_padding_mask, False, attn_mask, is_causal=is_causal
        )
        return self.dropout2(y)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
        def look(x):
            return self._mha_block(
                x, memory, memory_mask, memory_key_padding_mask, memory_is_causal
            )

        return self._through(
            tgt, lambda x: self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal), look,
            self._ff_block,
        )


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after another.

    >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> nn.TransformerEncoder(layer, num_layers=2)(torch.randn(1, 5, 8)).shape
    """

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True,
                 mask_check=True):
        super().__init__()
        self.layers, self.num_layers = _copies(encoder_layer, num_layers), num_layers
        self.norm, self.mask_check = norm, mask_check
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor and self._could_skip(encoder_layer)

    @staticmethod
    def _could_skip(layer):
        if not isinstance(layer, TransformerEncoderLayer) or layer.norm_first:
            return False
        attention = layer.self_attn
        return (
            attention.batch_first and attention._qkv_same_embed_dim
            and attention.in_proj_bias is not None and bool(layer.activation_relu_or_gelu)
            and layer.norm1.eps == layer.norm2.eps and attention.num_heads % 2 == 0
        )

    def _skips_padding(self, src, mask, padding):
        """Whether PyTorch leaves out padded steps, whose results are then 0."""
        if padding is None or mask is not None or src.dim() != 3 or not self.use_nested_tensor:
            return False
        first = self.layers[0]
        if first.training or _C.is_capturing():
            return False
        learned = src.requires_grad or any([each.requires_grad for each in first.parameters()])
        if _C.is_grad_enabled() and learned:
            return False
        kept = padding == 0
        return not self.mask_check or _C.quietly(lambda: bool((kept[:, 1:] <= kept[:, :-1]).all()))

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        padding, mask = _float_masks(
            src_key_padding_mask, mask, src.dtype, ("src_key_padding_mask", "mask")
        )
        skips = self._skips_padding(src, mask, padding)
        is_causal = _is_causal(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        x = src
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if skips:
            x = x.masked_fill((padding != 0).unsqueeze(-1), 0.0)
        return x if self.norm is None else self.norm(x)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after another.

    >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> decoder = nn.TransformerDecoder(layer, num_layers=2)
    >>> decoder(torch.randn(1, 3, 8), memory=torch.randn(1, 5, 8)).shape
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers, self.num_layers = _copies(decoder_layer, num_layers), num_layers
        self.norm = norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):
        x, batch_first = tgt, self.layers[0].self_attn.batch_first
        tgt_is_causal = _is_causal(tgt_mask, tgt_is_causal, tgt, batch_first)
        for layer in self.layers:
            x = layer(
                x, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
            )
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """An encoder that reads one sequence, and a decoder that writes another.

    >>> model = nn.Transformer(8, 2, 1, 1, dim_feedforward=16, batch_first=True)
    >>> mask = nn.Transformer.generate_square_subsequent_mask(3)
    >>> model(torch.randn(1, 5, 8), torch.randn(1, 3, 8), tgt_mask=mask).shape
    """

    @_placed
    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6,
                 dim_feedforward=2048, dropout=0.1, activation=F.relu, custom_encoder=None,
                 custom_decoder=None, layer_norm_eps=1e-5, batch_first=False, norm_first=False,
                 bias=True, dtype=None):
        super().__init__()
        parts = (
            ("encoder", custom_encoder, num_encoder_layers, TransformerEncoderLayer,
             TransformerEncoder),
            ("decoder", custom_decoder, num_decoder_layers, TransformerDecoderLayer,
             TransformerDecoder),
        )
        for name, custom, n_layers, layer, stack in parts:
            if custom is None:
                one = layer(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps,
                            batch_first, norm_first, bias, dtype=dtype)
                norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
                custom = stack(one, n_layers, norm)
            setattr(self, name, custom)
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self):
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """The mask with which no step looks at later ones: −inf above the diagonal.

        >>> nn.Transformer.generate_square_subsequent_mask(3)
        """
        return _causal_mask(sz, dtype=dtype, device=device)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None,
                src_key_padding_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )
