from collections import OrderedDict

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
print(net, len(net), net[0], net[-1], net[1:], [type(layer).__name__ for layer in net])
named = nn.Sequential(OrderedDict([("first", nn.Linear(2, 2)), ("act", nn.Tanh())]))
print(named, named.first, named["act"] if False else named[1], named[:1], list(named.state_dict()), nn.Sequential())
print(named.append(nn.Linear(2, 1)), named.insert(0, nn.Identity()) if False else len(named))
net[1] = nn.Tanh()
net.append(nn.Sigmoid()).extend([nn.ReLU(), nn.ELU()])
print(net, net.insert(1, nn.Dropout(0.1)), net.insert(-1, nn.SELU()))
del net[0]
print(net, list(net.state_dict()))
del net[1:3]
print(net, net.pop(0), net.pop(slice(0, 1)), net)
both = nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh(), nn.ELU())
both += nn.Sequential(nn.SELU())
print(both, nn.Sequential(nn.ReLU(), nn.Tanh()) * 2, 2 * nn.Sequential(nn.ELU()))
both *= 2
print(len(both), both[0] is both[4], both(torch.tensor([-1.0, 2.0])).tolist(), sorted(n for n in dir(both) if n.isdigit()))


class Deep(nn.Sequential):
    def __init__(self, *layers):
        super().__init__(*layers)


print(Deep(nn.ReLU(), nn.Tanh())[0:1], Deep(nn.Sequential(nn.ReLU()), nn.Linear(1, 1)))

layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
layers.append(nn.ReLU())
layers += [nn.Tanh(), nn.Tanh()]
layers.extend(nn.ModuleList([nn.ELU()]))
print(layers, len(layers), layers[-1], layers[1:3], nn.ModuleList(), nn.ModuleList([nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU())]))
layers.insert(1, nn.SELU())
layers[0] = nn.Identity()
del layers[2]
del layers[-2:]
print(layers, layers.pop(1), layers + [nn.GELU()], [type(layer).__name__ for layer in layers], list(layers.state_dict()))
for i, layer in enumerate(layers):
    print(i, layer, layers[i] is layer)
print(type(layers[:2]).__name__, list(nn.ModuleList(iter([nn.ReLU()]))), nn.ReLU() in layers)

parts = nn.ModuleDict({"up": nn.Linear(2, 4), "down": nn.Linear(4, 2)})
parts["act"] = nn.ReLU()
parts.update([["extra", nn.Tanh()], ("more", nn.ELU())])
parts.update(OrderedDict(last=nn.Identity()))
parts.update(nn.ModuleDict({"act": nn.GELU()}))
print(parts, list(parts), len(parts), "up" in parts, "side" in parts, list(parts.keys()), list(parts.values())[2], list(parts.items())[3])
del parts["more"]
print(parts.pop("extra"), list(parts), parts.act, list(parts.state_dict()), nn.ModuleDict(), nn.ModuleDict([("a", nn.ReLU())]))
parts.clear()
print(parts, len(parts))

values = nn.ParameterList([torch.zeros(2), nn.Parameter(torch.ones(1, 3), requires_grad=False), 5, "text"])
values.append(torch.ones(()))
values += [nn.Parameter(torch.zeros(2, 2, dtype=torch.float64))]
values.extend(iter([torch.ones(1)]))
print(values, len(values), values[0], values[-1].shape, values[2], list(values.state_dict()), [n for n, p in values.named_parameters()])
values[0] = torch.full((2,), 3.0)
values[2] = 6
print(values[0], values[2], values[1:3], [type(v).__name__ for v in values], nn.ParameterList(), values[-3:].__class__.__name__)

weights = nn.ParameterDict({"b": torch.zeros(2), "a": nn.Parameter(torch.ones(1))})
weights["n"] = 4
weights.update({"d": torch.ones(2, 2), "c": torch.zeros(1)})
weights.update([("e", torch.ones(3))])
weights.update(OrderedDict(z=torch.ones(1), y="text"))
print(weights, len(weights), list(weights), list(reversed(weights)), "a" in weights, "x" in weights, weights["b"], weights.n, weights.get("q"), weights.get("q", 1))
print(list(weights.keys()), [type(v).__name__ for v in weights.values()], [k for k, v in weights.items()], list(weights.state_dict()))
print(weights.setdefault("a", None).shape, weights.setdefault("new", torch.zeros(1)).requires_grad, weights.pop("n"), weights.popitem()[0], list(weights))
copy = weights.copy()
print(copy["b"] is weights["b"], list(copy), list(weights | {"k": torch.ones(1)}), list(nn.ParameterDict().fromkeys(["u", "v"], torch.zeros(1))))
weights |= nn.ParameterDict({"m": torch.ones(1)})
del weights["b"]
print(list(weights), nn.ParameterDict(), nn.ParameterDict([("a", torch.ones(1))]))
weights.clear()
print(weights, len(weights), [n for n, p in copy.named_parameters()])


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))
        self.heads = nn.ModuleDict({"a": nn.Linear(2, 1), "b": nn.Linear(2, 1)})
        self.gates = nn.ParameterList([torch.ones(2) for _ in range(2)])
        self.scales = nn.ParameterDict({"s": torch.ones(1)})

    def forward(self, x, head):
        y = sum(gate * expert(x) for gate, expert in zip(self.gates, self.experts))
        return self.heads[head](y) * self.scales["s"]


model = Mixture()
print(model, list(model.state_dict()), sum(p.numel() for p in model.parameters()))
y = model(torch.ones(1, 2), "a")
y.sum().backward()
print([(n, p.grad is not None) for n, p in model.named_parameters()], round(y.item(), 4))

for wrong in (
    lambda: nn.Sequential(nn.ReLU), lambda: nn.Sequential([nn.ReLU()]), lambda: nn.Sequential({"a": nn.ReLU()}), lambda: net[9],
    lambda: nn.Sequential() + [nn.ReLU()], lambda: nn.Sequential() * 0, lambda: nn.Sequential() * 1.5,
    lambda: nn.Sequential().insert(2, nn.ReLU()), lambda: nn.Sequential().insert(0, 1), lambda: nn.ModuleList([1]),
    lambda: nn.ModuleList(5), lambda: layers[7], lambda: layers.extend(nn.ReLU()), lambda: nn.ModuleList()(1), lambda: nn.ModuleDict()["a"],
    lambda: nn.ModuleDict(5), lambda: nn.ModuleDict([1]), lambda: nn.ModuleDict([("a", nn.ReLU(), 1)]), lambda: nn.ModuleDict({"a": 1}),
    lambda: nn.ModuleDict({"a.b": nn.ReLU()}), lambda: nn.ModuleDict({"keys": nn.ReLU()}), lambda: nn.ModuleDict({1: nn.ReLU()}),
    lambda: nn.ParameterList(5), lambda: nn.ParameterList(torch.ones(2)), lambda: nn.ParameterList()(1), lambda: values[9],
    lambda: nn.ParameterDict(5), lambda: nn.ParameterDict({1: torch.ones(1)}), lambda: nn.ParameterDict()(1), lambda: nn.ParameterDict()["a"],
    lambda: nn.ParameterDict([1]), lambda: nn.ParameterDict().popitem(), lambda: nn.Sequential(nn.ReLU(), name=1),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
