import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = (part.view(batch, time, self.heads, -1).transpose(1, 2) for part in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, time, width))
        return x + self.mlp(self.norm2(x))


torch.manual_seed(3)
block = Block(8, 2)
print(block)
x = torch.randn(2, 5, 8)
y = block(x)
print(y.shape, y[0, :2])

# What comes later does not change what came before.
changed = x.clone()
changed[:, 3:] += 1
print(torch.allclose(block(changed)[:, :3], y[:, :3], atol=1e-6), torch.allclose(block(changed), y))
target = x.roll(1, dims=1)
optimizer = torch.optim.AdamW(block.parameters(), lr=0.01)
for step in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(block(x), target)
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
for name, parameter in block.named_parameters():
    print(name.ljust(16), tuple(parameter.shape), f"{parameter.grad.norm().item():.3f}")

# The same attention by hand, with a mask, and with fewer key heads than query heads.
q, k, v = torch.randn(1, 4, 3, 2), torch.randn(1, 2, 3, 2), torch.randn(1, 2, 3, 2)
mask = torch.tensor([[True, False, False], [True, True, False], [True, False, True]])
out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
weights = (q @ k.repeat_interleave(2, 1).mT / 2**0.5).masked_fill(~mask, float("-inf")).softmax(-1)
print(torch.allclose(out, weights @ v.repeat_interleave(2, 1), atol=1e-6), out[0, 0])
