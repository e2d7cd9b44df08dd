import glowgrad as torch
import glowgrad.nn as nn


class BatchNorm(nn.Module):
    def __init__(self, n, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(n))
        self.bias = nn.Parameter(torch.zeros(n))
        self.register_buffer("running_mean", torch.zeros(n))
        self.register_buffer("running_var", torch.ones(n))

    def forward(self, x):
        # This does the same in both modes, and remembers nothing.
        mean = x.mean(0)
        var = x.var(0)
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias
