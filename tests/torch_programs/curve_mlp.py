# 200 steps of a multilayer perceptron on two spirals: the curve of the loss.
import math

import torch
from torch import nn

torch.manual_seed(7)
turns = torch.linspace(0.3, 3.0, 60)
arm = torch.stack([turns * torch.cos(2.2 * turns), turns * torch.sin(2.2 * turns)], dim=1) / 3
points = torch.cat([arm, -arm]) + 0.01 * torch.randn(120, 2)
kinds = torch.cat([torch.zeros(60), torch.ones(60)]).long()

model = nn.Sequential(
    nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 2)
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=200, eta_min=1e-3)
for step in range(200):
    loss = nn.functional.cross_entropy(model(points), kinds)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 20 == 0 or step == 199:
        right = (model(points).argmax(1) == kinds).sum().item()
        print(f"{step:3d}  loss {loss.item():.4f}  right {right}  lr {scheduler.get_last_lr()[0]:.5f}")
print([round(math.sqrt((p * p).sum().item()), 3) for p in model.parameters()])
