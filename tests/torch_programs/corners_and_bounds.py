"""Gradients where two pieces of an op meet, and the gradients of these."""

import torch
import torch.nn.functional as F

x = torch.tensor([-3.0, -1.0, 0.0, 1.0, 3.0, 6.0], requires_grad=True)

OPS = {
    "relu": torch.relu,
    "relu6": F.relu6,
    "leaky_relu": F.leaky_relu,
    "hardtanh": F.hardtanh,
    "hardswish": F.hardswish,
    "hardshrink": lambda x: F.hardshrink(x, 1.0),
    "softshrink": lambda x: F.softshrink(x, 1.0),
    "threshold": lambda x: F.threshold(x, 1.0, 0.0),
    "elu": F.elu,
    "celu": F.celu,
    "abs": torch.abs,
    "clamp": lambda x: x.clamp(-1, 1),
    "clip": lambda x: torch.clip(x, min=1.0),
    "fmax": lambda x: torch.fmax(x, torch.ones(6)),
    "fmin": lambda x: torch.fmin(x, torch.ones(6)),
    "max": lambda x: x.clamp(max=1.0).max(),
    "floor": torch.floor,
}

for name, op in OPS.items():
    (first,) = torch.autograd.grad(op(x).sum(), x, create_graph=True)
    print(name, [round(g, 4) for g in first.tolist()], first.requires_grad)
    if first.requires_grad:
        (second,) = torch.autograd.grad(first.sum(), x, allow_unused=True)
        print("  again", None if second is None else [round(abs(g), 4) for g in (second + 0).tolist()])

image = torch.tensor([[[[1.0, 1.0], [0.0, 1.0]]]], requires_grad=True)
(first,) = torch.autograd.grad(F.max_pool2d(image, 2).sum(), image, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), image)
print("max_pool2d", first.flatten().tolist(), (second + 0).flatten().tolist())

large = torch.tensor([0.0, 1e30], requires_grad=True)
spread = large.std()
spread.backward()
print("std", f"{spread.item():.4e}", [round(g, 4) for g in large.grad.tolist()])
