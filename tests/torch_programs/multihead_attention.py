import torch
import torch.nn as nn
import torch.nn.functional as F


def rounded(x, digits=3):
    return [round(v, digits) + 0.0 for v in x.detach().flatten().tolist()]


def shown(result):
    y, weights = result
    print(tuple(y.shape), rounded(y))
    print("  ", None if weights is None else (tuple(weights.shape), rounded(weights)[:12]))


options = [
    dict(), dict(batch_first=True), dict(bias=False), dict(add_bias_kv=True), dict(add_zero_attn=True),
    dict(kdim=3, vdim=5), dict(kdim=3), dict(vdim=6, bias=False, batch_first=True),
    dict(add_bias_kv=True, add_zero_attn=True, kdim=2, vdim=2, batch_first=True, dropout=0.3),
    dict(dtype=torch.float64),
]
for seed, given in enumerate(options):
    torch.manual_seed(seed)
    attention = nn.MultiheadAttention(4, 2, **given)
    print(given, attention)
    for name, parameter in attention.named_parameters():
        print("  ", name, tuple(parameter.shape), rounded(parameter)[:3])
    print(list(attention.state_dict()))
    first = given.get("batch_first", False)
    dtype = given.get("dtype", torch.float32)
    sizes = (2, 3) if first else (3, 2), (2, 5) if first else (5, 2)
    q = torch.randn(*sizes[0], 4, dtype=dtype, requires_grad=True)
    k = torch.randn(*sizes[1], attention.kdim, dtype=dtype, requires_grad=True)
    v = torch.randn(*sizes[1], attention.vdim, dtype=dtype, requires_grad=True)
    for more in (dict(), dict(need_weights=False), dict(average_attn_weights=False)):
        shown(attention(q, k, v, **more))
    attention.eval()
    y, weights = attention(q, k, v)
    shown((y, weights))
    shape = torch.arange(y.numel(), dtype=dtype).reshape(y.shape).cos()
    ((y * shape).sum() + (weights ** 2).sum()).backward()
    for name, parameter in attention.named_parameters():
        print("  ", name, rounded(parameter.grad)[:16])
    print(rounded(q.grad, 3), rounded(k.grad, 3), rounded(v.grad, 3))

# Masks of all kinds, with and without weights, in training and not.
torch.manual_seed(20)
x = torch.randn(3, 2, 4)
bools = torch.tensor([[False, True, True], [False, False, True], [True, False, False]])
floats = torch.tensor([[0.0, -1.0, 0.5], [0.1, 0.0, float("-inf")], [0.0, 2.0, 0.0]])
per_head = torch.randn(4, 3, 3)
padding = torch.tensor([[False, False, True], [False, False, False]])
added = torch.tensor([[0.0, 0.5, float("-inf")], [0.0, 0.0, -1.0]])
causal = torch.triu(torch.ones(3, 3), 1).bool()
for given in (dict(), dict(add_bias_kv=True, add_zero_attn=True)):
    attention = nn.MultiheadAttention(4, 2, **given)
    for need in (True, False):
        for masks in (
            dict(attn_mask=bools), dict(attn_mask=floats), dict(attn_mask=per_head), dict(attn_mask=per_head > 0.8),
            dict(key_padding_mask=padding), dict(key_padding_mask=added),
            dict(attn_mask=bools, key_padding_mask=padding), dict(attn_mask=floats, key_padding_mask=added),
            dict(attn_mask=per_head, key_padding_mask=added), dict(attn_mask=causal, is_causal=True),
            dict(attn_mask=causal, is_causal=True, key_padding_mask=padding),
        ):
            shown(attention(x, x, x, need_weights=need, **masks))

# One sequence without a batch.
attention = nn.MultiheadAttention(4, 2, batch_first=True)
one, other = torch.randn(3, 4), torch.randn(5, 4)
shown(attention(one, one, one))
shown(attention(one, other, other, need_weights=False))
shown(attention(one, other, other, average_attn_weights=False))
shown(attention(one, one, one, key_padding_mask=padding[0]))
shown(attention(one, one, one, attn_mask=per_head[:2]))
shown(attention(one, one, one, attn_mask=floats))
print(attention(one, one, one))

# Dropout on the weights draws as PyTorch draws.
for first in (False, True):
    attention = nn.MultiheadAttention(4, 2, dropout=0.5, batch_first=first)
    torch.manual_seed(21)
    shown(attention(x, x, x))
    shown(attention(x, x, x, need_weights=False))
    shown(attention(x, x, x, need_weights=False, attn_mask=floats[:3, :3] if not first else floats[:2, :2]))
    shown(attention.eval()(x, x, x))

# Equal tensors share a product; the numbers are the same.
attention = nn.MultiheadAttention(4, 2)
a, _ = attention(x, x, x)
b, _ = attention(x, x.clone(), x.clone())
both = x.clone()
c, _ = attention(x, both, both)
print(torch.allclose(a, b, atol=1e-6), torch.allclose(a, c, atol=1e-6))
with torch.no_grad():
    print(torch.allclose(attention.eval()(x, x, x)[0], a, atol=1e-6))
print(isinstance(attention.out_proj, nn.Linear), attention.head_dim, attention.kdim, attention._qkv_same_embed_dim)
merged, kind = attention.merge_masks(floats, added, torch.zeros(2, 3, 4))
print(rounded(merged), merged.shape, kind)
merged, kind = attention.merge_masks(per_head, None, torch.zeros(2, 3, 4))
print(merged.shape, kind, attention.merge_masks(None, added, x)[1], attention.merge_masks(None, None, x))
print(nn.MultiheadAttention(4, 2, 0.1, True, True, False, None, None, True).bias_k.shape)

# The function: keys and values that are given for each head.
weight, bias = torch.randn(12, 4), torch.randn(12)
out, out_bias = torch.randn(4, 4), torch.randn(4)
rest = dict(out_proj_weight=out, out_proj_bias=out_bias, dropout_p=0.0)
shown(F.multi_head_attention_forward(x, x, x, 4, 2, weight, bias, None, None, False, 0.0, out, out_bias))
static = torch.randn(4, 6, 2)
shown(F.multi_head_attention_forward(
    x, x, x, 4, 2, weight, None, None, None, True, 0.0, out, None, static_k=static, static_v=static,
))
shown(F.multi_head_attention_forward(
    x, torch.ones(5, 2, 3), torch.ones(5, 2, 6), 4, 2, None, bias, None, None, False, 0.5, out, out_bias,
    training=False, use_separate_proj_weight=True, q_proj_weight=torch.eye(4), k_proj_weight=torch.ones(4, 3),
    v_proj_weight=torch.ones(4, 6), need_weights=False,
))
shown(F.multi_head_attention_forward(
    x, x, x, 4, 2, weight, bias, torch.ones(1, 1, 4), torch.ones(1, 1, 4), False, 0.0, out, out_bias,
    key_padding_mask=padding, attn_mask=bools, average_attn_weights=False,
))

# Second gradients.
torch.manual_seed(22)
attention = nn.MultiheadAttention(4, 2).double()
x = torch.randn(2, 1, 4, dtype=torch.float64, requires_grad=True)
y, _ = attention(x, x, x)
(grad,) = torch.autograd.grad((y ** 3).sum(), x, create_graph=True)
(second,) = torch.autograd.grad((grad ** 2).sum(), x)
print(rounded(grad), rounded(second))
