import warnings

import torch
import torch.nn as nn
from torch.nn.utils.stateless import functional_call

warnings.simplefilter("ignore")
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
x = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
weights = {"0.weight": torch.ones(2, 2, requires_grad=True), "0.bias": torch.zeros(2)}
y = functional_call(net, weights, x)
print(y)
y.pow(3).sum().backward()
print(weights["0.weight"].grad, net[0].weight.grad, net[0].weight.shape)
print(functional_call(net, {"1.weight": torch.zeros(2)}, (x,)), functional_call(net.eval(), {}, x).shape)
for names in ({"2.weight": torch.ones(1)}, {"0.weight": torch.ones(2, 2)}):
    try:
        print(functional_call(net, names, x, strict=True).shape)
    except RuntimeError as error:
        print(error)
