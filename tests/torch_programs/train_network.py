import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(64, 2)
y = (x[:, 0] * x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(200):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(step, round(loss.item(), 3))
accuracy = (model(x).argmax(dim=1) == y).float().mean()
print(accuracy.item() > 0.9)
print([tuple(p.shape) for p in model.parameters()])
print(sum(p.numel() for p in model.parameters()))
