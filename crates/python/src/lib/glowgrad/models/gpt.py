"""A GPT as nanoGPT writes it: names, sizes and initial weights are those of its `model.py`."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from .sampling import choose


@dataclass
class GPTConfig:
    """The sizes of a GPT; those of nanoGPT's character model for a CPU.

    >>> torch.models.GPTConfig(n_layer=2)
    """

    block_size: int = 64
    vocab_size: int = 65
    n_layer: int = 4
    n_head: int = 4
    n_embd: int = 128
    dropout: float = 0.0
    bias: bool = False


class Attention(nn.Module):
    """Each position looks at those before it, with several heads."""

    def __init__(self, config):
        super().__init__()
        if config.n_embd % config.n_head:
            raise ValueError(f"n_embd={config.n_embd} is no multiple of n_head={config.n_head}")
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.resid_dropout = nn.Dropout(config.dropout)
        self.n_head, self.dropout = config.n_head, config.dropout

    def forward(self, x, cache=None):
        n, length, width = x.shape
        heads = n, length, self.n_head, width // self.n_head
        q, k, v = (part.view(heads).transpose(1, 2) for part in self.c_attn(x).split(width, 2))
        if cache is not None:
            k, v = cache.append(k, v)
        y = F.scaled_dot_product_attention(
            q, k, v,
            dropout_p=self.dropout if self.training else 0.0,
            # With a cache, one new position sees all that is kept.
            is_causal=length > 1,
        )
        y = y.transpose(1, 2).reshape(n, length, width)
        return self.resid_dropout(self.c_proj(y))


class FeedForward(nn.Module):
    """Two linear layers that work on each position by itself."""

    def __init__(self, config):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class Block(nn.Module):
    """Attention, then a network for each position; both add to what they read."""

    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd, bias=config.bias)
        self.attn = Attention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd, bias=config.bias)
        self.mlp = FeedForward(config)

    def forward(self, x, cache=None):
        x = x + self.attn(self.ln_1(x), cache)
        return x + self.mlp(self.ln_2(x))


class Cache:
    """Keys and values of the positions that one block has seen; there is room for `length` of them."""

    def __init__(self, length):
        self.length, self.end = length, 0
        self.k = self.v = None

    def append(self, k, v):
        """Keeps those of new positions, and gives all."""
        n, heads, new, width = k.shape
        if self.k is None:
            self.k, self.v = (t.new_zeros(n, heads, self.length, width) for t in (k, v))
        begin, self.end = self.end, self.end + new
        self.k[:, :, begin:self.end] = k
        self.v[:, :, begin:self.end] = v
        return self.k[:, :, :self.end], self.v[:, :, :self.end]


class GPT(nn.Module):
    """A decoder of Transformer blocks that scores the next token.

    It reads tokens [N, L] with L up to block_size, and gives scores [N, L, vocab_size]; with targets also the mean
    cross-entropy, in nats.

    >>> config = torch.models.GPTConfig(n_layer=1, n_head=2, n_embd=8, vocab_size=5, block_size=4)
    >>> torch.models.GPT(config)(torch.zeros(1, 4, dtype=torch.long))[0].shape
    """

    def __init__(self, config=None, **sizes):
        super().__init__()
        self.config = config = config or GPTConfig(**sizes)
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(config.vocab_size, config.n_embd),
            "wpe": nn.Embedding(config.block_size, config.n_embd),
            "drop": nn.Dropout(config.dropout),
            "h": nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
            "ln_f": nn.LayerNorm(config.n_embd, bias=config.bias),
        })
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        # One table turns tokens into vectors and vectors into scores.
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for name, parameter in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(parameter, 0.0, 0.02 / math.sqrt(2 * config.n_layer))

    @staticmethod
    def _init_weights(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, 0.0, 0.02)
            if getattr(module, "bias", None) is not None:
                nn.init.zeros_(module.bias)

    def forward(self, tokens, targets=None, caches=None):
        length = tokens.shape[1]
        begin = caches[0].end if caches else 0
        if begin + length > self.config.block_size:
            raise ValueError(
                f"{begin + length} tokens, but block_size={self.config.block_size}: give the last ones"
            )
        positions = torch.arange(begin, begin + length, device=tokens.device)
        x = self.transformer.drop(self.transformer.wte(tokens) + self.transformer.wpe(positions))
        for i, block in enumerate(self.transformer.h):
            x = block(x, caches[i] if caches else None)
        logits = self.lm_head(self.transformer.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)

    @torch.no_grad()
    def generate(self, tokens, max_new_tokens, temperature=1.0, top_k=None, top_p=None,
                 use_cache=True, generator=None):
        """Tokens [N, L] and, behind them, as many as asked for.

        With the cache each new token costs one position; without it, all positions. Once there are block_size tokens,
        positions shift with every token, and the last block_size are computed anew.

        >>> config = torch.models.GPTConfig(n_layer=1, n_head=2, n_embd=8, vocab_size=5, block_size=4)
        >>> torch.models.GPT(config).eval().generate(torch.zeros(1, 1, dtype=torch.long), 3).shape
        """
        size = self.config.block_size
        caches = None
        for _ in range(max_new_tokens):
            seen = tokens[:, -size:]
            if use_cache and tokens.shape[1] <= size:
                if caches is None:
                    caches = [Cache(size) for _ in self.transformer.h]
                seen = tokens[:, caches[0].end:]
            else:
                caches = None
            logits, _ = self(seen, caches=caches)
            following = choose(logits[:, -1], temperature, top_k, top_p, generator)
            tokens = torch.cat([tokens, following], 1)
        return tokens
