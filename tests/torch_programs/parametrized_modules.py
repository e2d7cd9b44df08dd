import copy

import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)

    def right_inverse(self, x):
        return x.triu()


class Scaled(nn.Module):
    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor

    def right_inverse(self, x):
        return x / self.factor


class OneWay(nn.Module):
    def forward(self, x):
        return x.tanh()


class Sum(nn.Module):
    def forward(self, a, b):
        return a + b

    def right_inverse(self, x):
        return x / 4, x * 0.75


torch.manual_seed(0)
layer = nn.Linear(3, 3)
print(parametrize.is_parametrized(layer), parametrize.type_before_parametrizations(layer) is nn.Linear)
before = layer.weight
print(parametrize.register_parametrization(layer, "weight", Symmetric()) is layer)
print(layer, type(layer).__name__, isinstance(layer, nn.Linear))
print(parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "weight"), parametrize.is_parametrized(layer, "bias"))
print(torch.equal(layer.weight, layer.weight.T), layer.weight.requires_grad, layer.parametrizations.weight.original is before)
print([name for name, _ in layer.named_parameters()], list(layer.state_dict()), parametrize.type_before_parametrizations(layer) is nn.Linear)
layer(torch.ones(2, 3)).sum().backward()
print(before.grad, layer.bias.grad)
layer.weight = torch.arange(9.0).view(3, 3)
print(layer.weight, before)
parametrize.register_parametrization(layer, "weight", Scaled())
print(layer.weight, layer.parametrizations["weight"][1], len(layer.parametrizations.weight), layer.parametrizations.weight.unsafe)
layer.weight = torch.eye(3)
print(layer.weight, layer.parametrizations.weight.original)
parametrize.register_parametrization(layer, "bias", OneWay())
print(layer)
attempt(setattr, layer, "bias", torch.ones(3))
attempt(setattr, layer, "weight", nn.Parameter(torch.ones(3, 3)))
with parametrize.cached():
    with parametrize.cached():
        print(layer.weight is layer.weight)
    print(layer.weight is layer.weight)
print(layer.weight is layer.weight)
twin = copy.deepcopy(layer)
twin.weight = torch.zeros(3, 3)
print(layer.weight[0], twin.weight[0], type(twin) is type(layer))
print(twin.load_state_dict(layer.state_dict()), torch.equal(twin.weight, layer.weight))
print(parametrize.remove_parametrizations(layer, "weight") is layer, layer, layer.weight)
parametrize.remove_parametrizations(layer, "bias", leave_parametrized=False)
print(type(layer) is nn.Linear, list(layer.state_dict()), hasattr(layer, "parametrizations"), layer.bias.requires_grad)
attempt(parametrize.remove_parametrizations, layer, "weight")

print("several originals")
layer = parametrize.register_parametrization(nn.Linear(2, 1), "weight", Sum())
with torch.no_grad():
    layer.parametrizations.weight.original0.fill_(1.0)
    layer.parametrizations.weight.original1.fill_(2.0)
print(layer.weight, layer.parametrizations.weight.is_tensor, layer.parametrizations.weight.ntensors, list(layer.state_dict()))
layer.weight = torch.full((1, 2), 8.0)
print(layer.parametrizations.weight.original0, layer.parametrizations.weight.original1)
attempt(parametrize.remove_parametrizations, layer, "weight", leave_parametrized=False)
parametrize.remove_parametrizations(layer, "weight")
print(layer.weight)
norm = nn.BatchNorm1d(2)
parametrize.register_parametrization(norm, "running_mean", Scaled(3.0))
print(norm.running_mean, [name for name, _ in norm.named_buffers()], norm)
parametrize.remove_parametrizations(norm, "running_mean")
print([name for name, _ in norm.named_buffers()])
a = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
b = parametrize.transfer_parametrizations_and_params(a, nn.Linear(2, 2))
print(torch.equal(a.weight, b.weight), type(b).__name__, b.parametrizations.weight.original is a.parametrizations.weight.original)


class Wide(nn.Module):
    def forward(self, x):
        return torch.cat([x, x])


class Narrow(nn.Module):
    def forward(self, x):
        return x.double()


class Text(nn.Module):
    def forward(self, x):
        return "text"


class Back(nn.Module):
    def __init__(self, result):
        super().__init__()
        self.result = result

    def forward(self, x):
        return x

    def right_inverse(self, x):
        return self.result(x)


for wrong in (Wide(), Narrow(), Text(), Back(lambda x: "text"), Back(lambda x: x.double()), Back(lambda x: [x, 3])):
    attempt(parametrize.register_parametrization, nn.Linear(2, 1, bias=False), "weight", wrong)
for wrong in (Wide(), Narrow(), Text(), Back(lambda x: "text"), Back(lambda x: x.double()), Back(lambda x: x[0])):
    layer = parametrize.register_parametrization(nn.Linear(2, 1, bias=False), "weight", Scaled())
    attempt(parametrize.register_parametrization, layer, "weight", wrong)
layer = parametrize.register_parametrization(nn.Linear(2, 1, bias=False), "weight", Wide(), unsafe=True)
print(layer.weight.shape, layer(torch.ones(2)).shape)
attempt(parametrize.register_parametrization, nn.Linear(1, 1), "nothing", Scaled())
attempt(parametrize.ParametrizationList, [], torch.ones(1))

print("weight norm")
x = torch.tensor([[1.0, -2.0, 0.5]])
for dim in (0, 1, None, -1):
    torch.manual_seed(1)
    layer = weight_norm(nn.Linear(3, 2), dim=dim)
    y = layer(x)
    y.pow(2).sum().backward()
    print([round(v, 4) for v in y.flatten().tolist()], layer.parametrizations.weight.original0.shape)
    print([[round(v, 4) for v in p.grad.flatten().tolist()] for p in layer.parameters()])
print(layer)
torch.manual_seed(1)
plain = nn.Conv1d(2, 3, 2)
conv = weight_norm(copy.deepcopy(plain))
print(torch.allclose(plain.weight, conv.weight), conv.parametrizations.weight.original0.shape, list(conv.state_dict()))
conv.load_state_dict({"bias": torch.zeros(3), "weight_g": torch.ones(3, 1, 1), "weight_v": torch.ones(3, 2, 2)})
print(conv.weight[0])
w = torch.tensor([[3.0, 4.0], [1.0, 0.0]], dtype=torch.float64)
layer = weight_norm(nn.Linear(2, 2, bias=False).double())
layer.weight = w
g, v = layer.parameters()
print([[round(x, 4) for x in each.flatten().tolist()] for each in torch.autograd.grad(layer(w).pow(3).sum(), (g, v))])

print("spectral norm")
for make, dim in ((lambda: nn.Linear(3, 2), None), (lambda: nn.Linear(20, 30), None), (lambda: nn.Conv2d(2, 3, 2), None), (lambda: nn.Conv2d(2, 3, 2), 1),
                  (lambda: nn.ConvTranspose1d(2, 3, 2), None), (lambda: nn.Linear(3, 2), -1)):
    torch.manual_seed(2)
    layer = spectral_norm(make(), n_power_iterations=2, dim=dim)
    weight = layer.weight
    weight.sum().backward()
    print([round(v, 4) for v in weight.flatten()[:4].tolist()], [round(v, 2) for v in layer.parametrizations.weight.original.grad.flatten()[:4].tolist()])
    layer.eval()
    print([round(v, 4) for v in layer.weight.flatten()[:4].tolist()], torch.equal(layer.weight, layer.weight), list(layer.state_dict()), round(torch.rand(1).item(), 5))
layer = spectral_norm(nn.Linear(3, 2), name="bias")
print(round(layer.bias.norm().item(), 4), list(layer.state_dict()))
attempt(spectral_norm, nn.Linear(1, 1), "nothing")
attempt(spectral_norm, nn.Linear(1, 1), n_power_iterations=0)
attempt(spectral_norm, nn.Linear(1, 1), dim=2)

print("orthogonal")
for shape, options in (((3, 3), {}), ((4, 2), {}), ((2, 4), {}), ((3, 3), {"orthogonal_map": "cayley"}), ((4, 2), {"orthogonal_map": "matrix_exp"}),
                       ((2, 4), {"orthogonal_map": "cayley"}), ((3, 3), {"orthogonal_map": "householder"}),
                       ((4, 2), {"use_trivialization": False}), ((3, 3), {"use_trivialization": False}), ((2, 3), {"orthogonal_map": "cayley", "use_trivialization": False})):
    torch.manual_seed(3)
    layer = orthogonal(nn.Linear(*shape), **options)
    w = layer.weight
    small = w if w.shape[0] <= w.shape[1] else w.T
    print(shape, options, torch.allclose(small @ small.T, torch.eye(small.shape[0]), atol=1e-5), round(torch.rand(1).item(), 5))
    if options.get("use_trivialization", True):
        print([round(v, 3) for v in w.flatten().tolist()])
    (w * torch.arange(float(w.numel())).view(w.shape)).sum().backward()
    print([round(v, 2) for v in layer.parametrizations.weight.original.grad.tril(-1).flatten().tolist()])
    with torch.no_grad():
        layer.parametrizations.weight.original.add_(0.1 * torch.ones(w.shape).tril(-1))
    w = layer.weight
    small = w if w.shape[0] <= w.shape[1] else w.T
    print(torch.allclose(small @ small.T, torch.eye(small.shape[0]), atol=1e-5))
layer = orthogonal(nn.Linear(3, 3))
turn = torch.tensor([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
layer.weight = turn
print(torch.allclose(layer.weight, turn, atol=1e-6), sorted(layer.state_dict()))
layer = orthogonal(nn.Linear(3, 3), "weight", "householder", use_trivialization=False)
layer.weight = turn
print(torch.allclose(layer.weight, turn, atol=1e-6), layer)
attempt(orthogonal, nn.Linear(2, 2), "nothing")
attempt(orthogonal, nn.Linear(2, 2), "bias")
attempt(orthogonal, nn.Linear(2, 2), orthogonal_map="turn")
layer = orthogonal(nn.Linear(2, 2), orthogonal_map="cayley", use_trivialization=False)
attempt(setattr, layer, "weight", torch.eye(2))
attempt(setattr, layer, "weight", torch.eye(3))
