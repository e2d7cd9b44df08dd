import torch
import torch.nn as nn


class Counter(nn.Module):
    calls = 0

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        Counter.calls += 1
        for layer in self.layers:
            x = layer(x)
        return x


torch.manual_seed(3)
model = Counter(nn.Linear(2, 2), nn.Sigmoid(), Counter(nn.Linear(2, 1)))
x = torch.tensor([[1.0, -1.0]])
print(model(x), Counter.calls)
print([name for name, _ in model.named_parameters()])
print(model)
with torch.no_grad():
    for parameter in model.parameters():
        parameter.fill_(0.5)
print(f"{model(x).item():.4f}")
tied = nn.Linear(2, 2)
pair = nn.Sequential(tied, tied)
print(len(list(pair.parameters())))
pair(x).sum().backward()
print(tied.weight.grad.shape)
