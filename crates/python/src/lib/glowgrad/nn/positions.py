"""What language models add to PyTorch's layers: positions, heads that share keys, and a cache.

None of these classes is in PyTorch; their names and arguments are those that the field uses.
"""

import math

import _glowgrad as _C
from glowgrad._place import _placed
from glowgrad.nn import _LATER, Dropout, Linear
from glowgrad.nn import functional as F
from glowgrad.nn.module import Module

__all__ = tuple(_LATER["positions"])


def _angles(n, dim, base):
    """position / base^(2i / dim) for `n` positions and each pair i of features."""
    exponents = _C.arange(0, dim, 2, _C.float32, False) * (-math.log(base) / dim)
    return _C.outer(_C.arange(0, n, 1, _C.float32, False), exponents.exp())


class PositionalEncoding(Module):
    """Adds to each step of a sequence sines and cosines that tell its position, then dropout.

    It reads [L, N, d_model], with batch_first=True [N, L, d_model].

    >>> nn.PositionalEncoding(8, dropout=0.0, batch_first=True)(torch.zeros(1, 3, 8))
    """

    @_placed
    def __init__(self, d_model, dropout=0.1, max_len=5000, batch_first=False):
        super().__init__()
        self.d_model, self.max_len, self.batch_first = d_model, max_len, batch_first
        self.dropout = Dropout(dropout)
        angles = _angles(max_len, d_model, 10000.0)
        table = _C.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model]
        self.register_buffer("pe", table.unsqueeze(0 if batch_first else 1))

    def forward(self, x):
        dim = 1 if self.batch_first else 0
        if x.shape[dim] > self.max_len:
            raise ValueError(
                f"PositionalEncoding: {x.shape[dim]} steps, but max_len={self.max_len}"
            )
        return self.dropout(x + self.pe.narrow(dim, 0, x.shape[dim]))


class RotaryPositionalEmbeddings(Module):
    """Turns each pair of features of queries or keys by an angle that grows with the position.

    It reads [N, L, heads, dim]. Their products then depend on the distance of two steps alone
    (Su and others, 2021).

    >>> rope = nn.RotaryPositionalEmbeddings(dim=2, max_seq_len=8)
    >>> rope(torch.tensor([1.0, 0.0]).expand(1, 3, 1, 2)).squeeze()
    """

    @_placed
    def __init__(self, dim, max_seq_len=4096, base=10000):
        super().__init__()
        if dim % 2:
            raise ValueError(f"RotaryPositionalEmbeddings: dim must be even, got {dim}")
        self.dim, self.max_seq_len, self.base = dim, max_seq_len, base
        angles = _angles(max_seq_len, dim, base)
        self.register_buffer("cache", _C.stack([angles.cos(), angles.sin()], -1), persistent=False)

    def forward(self, x, *, input_pos=None):
        """The features, turned; `input_pos` says the positions, which are else 0, 1, 2, …

        >>> x = torch.randn(1, 1, 1, 4)
        >>> rope = nn.RotaryPositionalEmbeddings(4, max_seq_len=8)
        >>> torch.allclose(rope(x, input_pos=torch.tensor([0])), x)
        """
        length = x.shape[1]
        if input_pos is None and length > self.max_seq_len:
            raise ValueError(
                f"RotaryPositionalEmbeddings: {length} steps, but max_seq_len={self.max_seq_len}"
            )
        turns = self.cache[:length] if input_pos is None else self.cache[input_pos]
        cos, sin = turns.unsqueeze(-3).to(x.dtype).unbind(-1)
        a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
        return _C.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)

    def extra_repr(self):
        return f"dim={self.dim}, max_seq_len={self.max_seq_len}, base={self.base}"


class KVCache(Module):
    """The keys and values of the steps so far: a model that writes computes only the new step.

    >>> cache = nn.KVCache(batch_size=1, max_seq_len=8, num_kv_heads=2, head_dim=4)
    >>> keys, values = cache.update(torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4))
    >>> keys.shape, cache.size
    """

    @_placed
    def __init__(self, batch_size, max_seq_len, num_kv_heads, head_dim, dtype=None):
        super().__init__()
        shape = (batch_size, num_kv_heads, max_seq_len, head_dim)
        for name in ("k_cache", "v_cache"):
            self.register_buffer(name, _C.full(shape, 0.0, dtype, False), persistent=False)
        self.max_seq_len, self.size = max_seq_len, 0

    def update(self, k_val, v_val):
        """Adds keys and values of new steps, [N, heads, L, dim], and gives those of all steps.

        >>> cache = nn.KVCache(1, 8, 1, 2)
        >>> cache.update(torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 2))[0].shape
        >>> cache.update(torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 2))[0].shape
        """
        begin, end = self.size, self.size + k_val.shape[2]
        if end > self.max_seq_len:
            raise ValueError(f"KVCache: {end} steps, but max_seq_len={self.max_seq_len}")
        for cache, new in ((self.k_cache, k_val), (self.v_cache, v_val)):
            cache[:, :, begin:end] = new.detach()
        self.size = end
        return self.k_cache[:, :, :end], self.v_cache[:, :, :end]

    def reset(self):
        """Forgets all steps.

        >>> cache = nn.KVCache(1, 8, 1, 2)
        >>> cache.reset()
        >>> cache.size
        """
        self.size = 0
        self.k_cache.zero_()
        self.v_cache.zero_()

    def extra_repr(self):
        return f"max_seq_len={self.max_seq_len}, size={self.size}"


class GroupedQueryAttention(Module):
    """Attention in which several heads of queries share one head of keys and values.

    It reads [N, L, embed_dim], and no step looks at later ones unless is_causal=False. With one
    head of keys for each head of queries it is attention as usual; with one for all of them,
    multi-query attention (Ainslie and others, 2023).

    >>> attention = nn.GroupedQueryAttention(embed_dim=8, num_heads=4, num_kv_heads=2)
    >>> attention(torch.randn(1, 5, 8)).shape
    """

    @_placed
    def __init__(self, embed_dim, num_heads, num_kv_heads=None, bias=False, dropout=0.0,
                 pos_embeddings=None, is_causal=True, dtype=None):
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        if num_heads % num_kv_heads or embed_dim % num_heads:
            raise ValueError(
                "GroupedQueryAttention: num_kv_heads must divide num_heads, and that embed_dim, "
                f"got {num_kv_heads}, {num_heads} and {embed_dim}"
            )
        self.embed_dim, self.num_heads, self.num_kv_heads = embed_dim, num_heads, num_kv_heads
        self.head_dim = embed_dim // num_heads
        self.dropout, self.is_causal = dropout, is_causal
        few = num_kv_heads * self.head_dim
        self.q_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype)
        self.k_proj = Linear(embed_dim, few, bias, dtype=dtype)
        self.v_proj = Linear(embed_dim, few, bias, dtype=dtype)
        self.output_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype)
        self.pos_embeddings = pos_embeddings

    def forward(self, x, y=None, *, mask=None, input_pos=None, cache=None):
        """What each step takes from the steps that it sees: those of x, of y, or of a KVCache.

        >>> attention = nn.GroupedQueryAttention(8, 4, 2).eval()
        >>> cache, x = nn.KVCache(1, 8, 2, 2), torch.randn(1, 5, 8)
        >>> steps = [attention(x[:, t:t + 1], cache=cache) for t in range(5)]
        >>> torch.allclose(torch.cat(steps, 1), attention(x), atol=1e-5)
        """
        source = x if y is None else y
        q = self.q_proj(x).unflatten(-1, (self.num_heads, self.head_dim))
        k, v = (
            project(source).unflatten(-1, (self.num_kv_heads, self.head_dim))
            for project in (self.k_proj, self.v_proj)
        )
        if self.pos_embeddings is not None:
            if input_pos is None and cache is not None:
                with x.device:
                    input_pos = _C.arange(cache.size, cache.size + x.shape[1], 1, None, False)
            q, k = (self.pos_embeddings(each, input_pos=input_pos) for each in (q, k))
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        if cache is not None:
            k, v = cache.update(k, v)
        causal = self.is_causal and mask is None and y is None
        if causal and q.shape[2] != k.shape[2]:
            # The new steps are the last ones.
            with x.device:
                mask = _C.full((q.shape[2], k.shape[2]), True, _C.bool, False)
            mask, causal = _C.tril(mask, k.shape[2] - q.shape[2]), False
        z = F.scaled_dot_product_attention(
            q, k, v, mask, self.dropout if self.training else 0.0, causal,
            enable_gqa=self.num_kv_heads != self.num_heads,
        )
        return self.output_proj(z.transpose(1, 2).flatten(2))

    def extra_repr(self):
        return (
            f"embed_dim={self.embed_dim}, num_heads={self.num_heads}, "
            f"num_kv_heads={self.num_kv_heads}"
        )
