import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = nn.Linear(3, hidden)
        self.activation = nn.ReLU()
        self.second = nn.Linear(hidden, 2, bias=False)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.second(self.activation(self.first(x))) * self.scale


torch.manual_seed(1)
net = Net(4)
print(net)
for name, parameter in net.named_parameters():
    print(name, tuple(parameter.shape), parameter.requires_grad)
print(net.first.weight)
print(net.first.bias)
out = net(torch.ones(2, 3))
print(out)
out.sum().backward()
print(net.scale.grad)
print([name for name, _ in net.named_children()])
print(list(net.state_dict().keys()))
net.zero_grad()
print(net.first.weight.grad)
net.eval()
print(net.training, net.first.training)
net.train()
print(net.training)
print(nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)))
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
print(model[0], len(model))
other = Net(4)
other.load_state_dict(net.state_dict())
print(torch.equal(other.first.weight, net.first.weight))
try:
    net(torch.ones(2, 5))
except Exception as error:
    print(type(error).__name__)
for parameter in net.parameters():
    parameter.requires_grad_(False)
print(net(torch.ones(1, 3)).requires_grad)
