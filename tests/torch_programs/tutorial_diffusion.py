# From noise to points on a letter: a diffusion model of two numbers, with its schedule and its way back.
import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(40)
STEPS = 24
betas = torch.linspace(1e-3, 0.2, STEPS)
alphas = 1.0 - betas
products = torch.cumprod(alphas, dim=0)
before = F.pad(products[:-1], (1, 0), value=1.0)
variance = betas * (1.0 - before) / (1.0 - products)
print(products[[0, 5, -1]], variance[:3])


def take(values, t, shape):
    return values.gather(-1, t).reshape(t.shape[0], *((1,) * (len(shape) - 1)))


def noisy(start, t, noise=None):
    noise = torch.randn_like(start) if noise is None else noise
    return take(products.sqrt(), t, start.shape) * start + take((1 - products).sqrt(), t, start.shape) * noise


class Waves(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, t):
        half = self.width // 2
        rates = torch.exp(torch.arange(half) * -(math.log(100) / (half - 1)))
        angles = t[:, None] * rates[None, :]
        return torch.cat((angles.sin(), angles.cos()), dim=-1)


class Denoiser(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.time = nn.Sequential(Waves(8), nn.Linear(8, hidden), nn.SiLU())
        self.enter = nn.Linear(2, hidden)
        self.scale_shift = nn.Linear(hidden, 2 * hidden)
        self.norm, self.middle = nn.GroupNorm(4, hidden), nn.Linear(hidden, hidden)
        self.leave = nn.Linear(hidden, 2)
        nn.init.zeros_(self.leave.weight)

    def forward(self, x, t):
        scale, shift = self.scale_shift(self.time(t)).chunk(2, dim=1)
        h = self.norm(self.enter(x)) * (scale + 1) + shift
        return self.leave(h + F.silu(self.middle(F.silu(h))))


line = torch.rand(200)
letter = torch.where(
    (torch.rand(200) < 0.5)[:, None], torch.stack([line * 0, line * 2 - 1], 1), torch.stack([line, line * 0 - 1], 1)
)
model = Denoiser()
shadow = {name: p.detach().clone() for name, p in model.named_parameters()}
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
for step in range(60):
    start = letter[torch.randint(0, 200, (48,))]
    t = torch.randint(0, STEPS, (48,)).long()
    noise = torch.randn_like(start)
    loss = F.smooth_l1_loss(model(noisy(start, t, noise), t), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for name, p in model.named_parameters():
            shadow[name].lerp_(p, 0.1)
    if step % 12 == 0:
        print(step, f"{loss.item():.4f}")
model.load_state_dict(shadow, strict=True)


@torch.no_grad()
def sample(count):
    x = torch.randn(count, 2)
    for i in reversed(range(STEPS)):
        t = torch.full((count,), i, dtype=torch.long)
        mean = torch.rsqrt(alphas[i]) * (x - betas[i] * model(x, t) / torch.sqrt(1.0 - products[i]))
        x = mean if i == 0 else mean + torch.sqrt(variance[i]) * torch.randn_like(x)
    return x.clamp(-3, 3)


made = sample(64)
print(made.shape, made.isfinite().all(), [round(v, 2) for v in made.mean(0).tolist()])
