import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def rounded(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.detach().flatten().tolist()]


def kind(make):
    try:
        print("fine", make().shape)
    except Exception as error:
        print(type(error).__name__)


# Heads of queries that share a head of keys and values.
torch.manual_seed(0)
q = torch.randn(2, 4, 3, 2, requires_grad=True)
k, v = torch.randn(2, 2, 5, 2, requires_grad=True), torch.randn(2, 2, 5, 3, requires_grad=True)
mask = torch.tensor([[True, False, True, True, False]] * 3)
for options in (
    dict(), dict(attn_mask=mask), dict(attn_mask=torch.randn(4, 3, 5)), dict(is_causal=True), dict(scale=0.1),
):
    y = F.scaled_dot_product_attention(q, k, v, enable_gqa=True, **options)
    print(tuple(y.shape), rounded(y))
    weights = torch.arange(y.numel(), dtype=torch.float32).reshape(y.shape).cos()
    grads = torch.autograd.grad((y * weights).sum(), [q, k, v])
    print([rounded(grad, 3) for grad in grads])
    repeated = [each.repeat_interleave(2, dim=1) for each in (k, v)]
    print(torch.allclose(y, F.scaled_dot_product_attention(q, *repeated, **options), atol=1e-6))
torch.manual_seed(1)
print(rounded(F.scaled_dot_product_attention(q, k, v, dropout_p=0.5, enable_gqa=True)))
y = F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True)
print(rounded(y), torch.allclose(y, F.scaled_dot_product_attention(q, k[:, :1], v[:, :1]), atol=1e-6))
kind(lambda: F.scaled_dot_product_attention(q, k, v))
kind(lambda: F.scaled_dot_product_attention(q, torch.randn(2, 3, 5, 2), torch.randn(2, 3, 5, 3), enable_gqa=True))
kind(lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=True, enable_gqa=True))

# What this framework has beside PyTorch's layers, against the same written in plain operations.


def rotated(x, positions, base=10000.0):
    d = x.shape[-1]
    theta = base ** (-torch.arange(0, d, 2).float() / d)
    angles = positions[:, None].float() * theta
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)


class Rotary(nn.Module):
    def __init__(self, dim, max_seq_len=4096, base=10000):
        super().__init__()
        self.base = base

    def forward(self, x, *, input_pos=None):
        return rotated(x, torch.arange(x.shape[1]) if input_pos is None else input_pos, self.base)


class Positions(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000, batch_first=False):
        super().__init__()
        self.dropout, self.batch_first = nn.Dropout(dropout), batch_first
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model + 1)
        pe[:, 0:d_model:2] = torch.sin(position * div_term)
        pe[:, 1:d_model + 1:2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe[:, :d_model].unsqueeze(0 if batch_first else 1))

    def forward(self, x):
        return self.dropout(x + (self.pe[:, :x.shape[1]] if self.batch_first else self.pe[:x.shape[0]]))


class Cache:
    def __init__(self, batch_size, max_seq_len, num_kv_heads, head_dim):
        self.k = self.v = torch.zeros(batch_size, num_kv_heads, 0, head_dim)

    size = property(lambda self: self.k.shape[2])

    def update(self, k, v):
        self.k, self.v = torch.cat([self.k, k], dim=2), torch.cat([self.v, v], dim=2)
        return self.k, self.v


class Grouped(nn.Module):
    def __init__(self, embed_dim, num_heads, num_kv_heads=None, bias=False, dropout=0.0, pos_embeddings=None,
                 is_causal=True):
        super().__init__()
        self.heads, self.kv_heads = num_heads, num_kv_heads or num_heads
        self.d, self.rope, self.is_causal = embed_dim // num_heads, pos_embeddings, is_causal
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias)
        self.k_proj = nn.Linear(embed_dim, self.kv_heads * self.d, bias)
        self.v_proj = nn.Linear(embed_dim, self.kv_heads * self.d, bias)
        self.output_proj = nn.Linear(embed_dim, embed_dim, bias)

    def forward(self, x, y=None, *, mask=None, input_pos=None, cache=None):
        n, t, _ = x.shape
        y = x if y is None else y
        begin = 0 if cache is None else cache.size
        q = self.q_proj(x).view(n, t, self.heads, self.d)
        k = self.k_proj(y).view(n, -1, self.kv_heads, self.d)
        v = self.v_proj(y).view(n, -1, self.kv_heads, self.d)
        if self.rope is not None:
            q, k = (self.rope(each, input_pos=begin + torch.arange(each.shape[1])) for each in (q, k))
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        if cache is not None:
            k, v = cache.update(k, v)
        k, v = (each.repeat_interleave(self.heads // self.kv_heads, dim=1) for each in (k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        elif self.is_causal and y is x:
            later = torch.arange(k.shape[2]) > begin + torch.arange(t)[:, None]
            scores = scores.masked_fill(later, float("-inf"))
        z = scores.softmax(-1) @ v
        return self.output_proj(z.transpose(1, 2).reshape(n, t, -1))


Rotary = getattr(nn, "RotaryPositionalEmbeddings", Rotary)
Positions = getattr(nn, "PositionalEncoding", Positions)
Cache, Grouped = getattr(nn, "KVCache", Cache), getattr(nn, "GroupedQueryAttention", Grouped)

torch.manual_seed(2)
x = torch.randn(2, 5, 3, 4, requires_grad=True)
rope = Rotary(4, max_seq_len=16)
y = rope(x)
print(rounded(y), torch.allclose(y.norm(dim=-1), x.norm(dim=-1), atol=1e-6))
(y ** 3).sum().backward()
print(rounded(x.grad, 3))
print(rounded(rope(x[:, :2], input_pos=torch.tensor([3, 7]))), list(rope.state_dict()))
print(rounded(Rotary(4, 16, base=100)(x[:1, :, :1])))
a, b = torch.randn(1, 6, 1, 4), torch.randn(1, 6, 1, 4)
queries, keys = (rope(each[:, :1].expand(1, 6, 1, 4))[0, :, 0] for each in (a, b))
products = queries @ keys.T
# A product depends on the distance alone.
print(torch.allclose(products[1:, 1:], products[:-1, :-1], atol=1e-5))

for d_model in (6, 5):
    for first in (False, True):
        positions = Positions(d_model, 0.0, 12, first)
        z = torch.zeros(1, 4, d_model) if first else torch.zeros(4, 1, d_model)
        print(rounded(positions(z)), list(positions.state_dict()), tuple(positions.pe.shape))
torch.manual_seed(3)
positions = Positions(4, dropout=0.5)
print(rounded(positions(torch.ones(3, 2, 4))), rounded(positions.eval()(torch.ones(3, 1, 4))))

for num_kv_heads in (4, 2, 1, None):
    for rope in (None, Rotary(2, 16)):
        for is_causal in (True, False):
            torch.manual_seed(4)
            attention = Grouped(8, 4, num_kv_heads, bias=True, pos_embeddings=rope, is_causal=is_causal)
            print([(name, tuple(p.shape)) for name, p in attention.named_parameters()])
            x = torch.randn(2, 4, 8, requires_grad=True)
            y = attention(x)
            print(rounded(y[0], 3))
            (y * torch.arange(y.numel()).reshape(y.shape).cos()).sum().backward()
            print(rounded(x.grad[0], 3), rounded(attention.k_proj.weight.grad[0], 3))
torch.manual_seed(5)
attention = Grouped(8, 4, 2)
x, other = torch.randn(1, 3, 8), torch.randn(1, 5, 8)
print(rounded(attention(x, other), 3), rounded(attention(x, mask=torch.eye(3).bool()), 3))
attention.eval()
for rope in (None, Rotary(2, 16)):
    attention = Grouped(8, 4, 2, pos_embeddings=rope).eval()
    with torch.no_grad():
        whole, cache = attention(other), Cache(1, 8, 2, 2)
        parts = [attention(other[:, begin:end], cache=cache) for begin, end in ((0, 2), (2, 3), (3, 5))]
        print(rounded(whole, 3), torch.allclose(torch.cat(parts, 1), whole, atol=1e-6), cache.size)
