"""Diffusion (Ho and others, 2020) on points: noise is added in steps, and a network learns to take it away."""

import torch
import torch.nn.functional as F
from torch import nn


class Diffusion(nn.Module):
    """Predicts the noise in points [N, dim] after t of `steps` steps.

    >>> torch.models.Diffusion(steps=10).sample(5).shape
    """

    def __init__(self, dim=2, hidden=128, steps=100):
        super().__init__()
        self.dim, self.steps = dim, steps
        self.time = nn.Embedding(steps, hidden)
        self.enter = nn.Linear(dim, hidden)
        self.middle = nn.ModuleList([nn.Linear(hidden, hidden) for _ in range(3)])
        self.leave = nn.Linear(hidden, dim)
        beta = torch.linspace(1e-4, 0.1, steps)
        self.register_buffer("beta", beta)
        # How much of a point is left after t steps.
        self.register_buffer("left", torch.cumprod(1 - beta, 0))

    def forward(self, x, t):
        h = self.enter(x) + self.time(t)
        for layer in self.middle:
            h = h + layer(F.silu(h))
        return self.leave(F.silu(h))

    def loss(self, x):
        """The mean squared error of the noise that is predicted, at a random step for each point.

        >>> torch.models.Diffusion().loss(torch.zeros(4, 2)).ndim
        """
        t = torch.randint(0, self.steps, (len(x),), device=x.device)
        noise = torch.randn_like(x)
        left = self.left[t].unsqueeze(1)
        noisy = left.sqrt() * x + (1 - left).sqrt() * noise
        return F.mse_loss(self(noisy, t), noise)

    @torch.no_grad()
    def sample(self, n):
        """Points [n, dim]: pure noise, from which the network takes away what it predicts, step by step.

        >>> torch.models.Diffusion(dim=3, steps=4).sample(2).shape
        """
        x = torch.randn(n, self.dim, device=self.beta.device)
        for step in reversed(range(self.steps)):
            t = torch.full((n,), step, dtype=torch.long, device=x.device)
            beta, left = self.beta[step], self.left[step]
            x = (x - beta / (1 - left).sqrt() * self(x, t)) / (1 - beta).sqrt()
            if step > 0:
                x = x + beta.sqrt() * torch.randn_like(x)
        return x
