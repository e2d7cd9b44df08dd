import torch
import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.gains = nn.ParameterList([nn.Parameter(torch.ones(1) * i) for i in range(depth)])
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("calls", torch.tensor(0), persistent=False)
        self.register_parameter("unused", None)

    def forward(self, x):
        self.calls += 1
        self.mean.lerp_(x.detach().mean(0), 0.5)
        for layer, gain in zip(self.layers, self.gains):
            x = x + gain * layer(x).relu()
        return x

    def extra_repr(self):
        return f"depth={len(self.layers)}"


def start(module):
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.25)
        nn.init.zeros_(module.bias)


net = nn.Sequential(Residual(2, 2), nn.Dropout(0.1), nn.LayerNorm(2))
print(net)
print(net.apply(start) is net)
net.eval()
x = torch.tensor([[1.0, 3.0], [2.0, -2.0]])
print(net[0](x), net[0].mean, net[0].calls)
print(net(x))
for name, parameter in net.named_parameters():
    print(name, tuple(parameter.shape), parameter.requires_grad)
print(list(net.state_dict()), [name for name, _ in net.named_buffers()])
print([name for name, _ in net.named_modules()], [type(child).__name__ for child in net.children()])
print([(type(m).__name__, m.training) for m in net.modules() if not list(m.children())])
net[0].layers.append(nn.Linear(2, 2, bias=False))
print(len(net[0].layers), net[0].layers[-1], net.get_parameter("0.layers.2.weight").shape)
net[0].requires_grad_(False)
print(sum(p.numel() for p in net.parameters()), sum(p.numel() for p in net.parameters() if p.requires_grad))
print(next(net.double().parameters()).dtype, net[0].mean.dtype, net[0].calls.dtype)
table = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
print(table, "a" in table, list(table.keys()), table["b"](torch.zeros(1)))
try:
    net[0].mean = "not a tensor"
except Exception as error:
    print(type(error).__name__)
print(net[0].gains[1], isinstance(net[0].gains[1], nn.Parameter), hasattr(net, "weight"))
