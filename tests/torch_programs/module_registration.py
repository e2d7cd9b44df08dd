import copy

import torch
import torch.nn as nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.utils import _pair, _single, _triple
from torch.nn.parameter import Buffer, Parameter


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print("places are kept")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(1))
        self.second = nn.Linear(2, 1)
        self.shift = nn.Parameter(torch.zeros(1))
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("seen", torch.zeros(2), persistent=False)
        self.register_buffer("std", torch.ones(2))


net = Net()
net.first = nn.Linear(2, 3)
net.scale = nn.Parameter(torch.ones(4))
net.mean = torch.ones(5)
print([(name, tuple(p.shape)) for name, p in net.named_parameters()], list(net.state_dict()))
net.first, net.scale, net.mean = None, None, None
print([name for name, _ in net.named_parameters()], list(net.state_dict()), net)
net.first, net.scale, net.mean = nn.Identity(), nn.Parameter(torch.zeros(())), torch.zeros(())
print([name for name, _ in net.named_children()], list(net.state_dict()))
net.seen = torch.ones(2)
print(list(net.state_dict()), [name for name, _ in net.named_buffers()])
net.std = nn.ReLU()
print([name for name, _ in net.named_children()], list(net._buffers), isinstance(net.std, nn.ReLU))
net.second = nn.Parameter(torch.ones(2))
print(list(net._parameters), list(net._modules))
attempt(setattr, net, "shift", 3)
attempt(setattr, net, "shift", torch.ones(1))
attempt(setattr, net, "first", 3)
attempt(setattr, net, "mean", "text")
attempt(setattr, net, "a.b", nn.Parameter(torch.ones(1)))
del net.first, net.mean, net.seen, net.shift
attempt(getattr, net, "first")
attempt(delattr, net, "first")
print(list(net._modules), list(net._buffers), list(net._parameters), net._non_persistent_buffers_set)

print("registering")
m = nn.Module()
m.thing = 3
for register in (m.register_parameter, m.register_buffer, m.add_module, m.register_module):
    for name in (3, "a.b", "", "thing", "forward"):
        attempt(register, name, None)
attempt(m.register_parameter, "w", torch.ones(1))
attempt(m.register_parameter, "w", 3)
attempt(m.register_buffer, "w", 3)
attempt(m.register_buffer, "w", [1.0])
attempt(m.add_module, "w", 3)
attempt(m.add_module, "w", torch.ones(1))
attempt(m.add_module, "w", int)
w = nn.Parameter(torch.ones(2))
m.register_parameter("w", w)
m.register_buffer("b", torch.ones(2))
m.add_module("none", None)
print(m.w is w, m.none, m)
attempt(m.register_buffer, "w", torch.ones(1))
attempt(m.register_parameter, "b", w)
attempt(m.add_module, "b", nn.ReLU())
m.register_buffer("b", torch.zeros(2), persistent=False)
print(list(m.state_dict()))
m.register_buffer("b", torch.zeros(2))
print(list(m.state_dict()))


class Early(nn.Module):
    def __init__(self, value):
        self.plain = 1
        self.early = value
        super().__init__()


attempt(Early, nn.Parameter(torch.ones(1)))
attempt(Early, nn.ReLU())
attempt(nn.Module, 3)
attempt(nn.Module, a=3)


class Wants(nn.Module):
    def __init__(self, n):
        super().__init__(n)


attempt(Wants, 3)


class Mixed(nn.Module):
    call_super_init = True


class Other:
    def __init__(self, n):
        self.n = n


class Both(Mixed, Other):
    pass


print(Both(4).n)
attempt(nn.Module().forward)
attempt(nn.Module(), torch.ones(1))
attempt(nn.Linear(2, 2).train, "yes")

print("buffers")
b = Buffer(torch.ones(2))
print(b, type(b).__name__, isinstance(b, Buffer), isinstance(torch.ones(1), Buffer), b.persistent, nn.Buffer is Buffer)
m = nn.Module()
m.kept, m.dropped = Buffer(torch.ones(2)), nn.Buffer(torch.zeros(2), persistent=False)
print(list(m.state_dict()), [name for name, _ in m.named_buffers()], isinstance(m.kept, nn.Buffer))
m.kept = torch.zeros(3)
print(m.kept, Buffer())
print(Parameter is nn.Parameter, Parameter(torch.ones(1), requires_grad=False), Parameter().shape)

print("getting")
net = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), nn.ReLU())
print(net.get_submodule("0.1"), net.get_submodule("") is net)
print(net.get_parameter("0.0.bias").shape, net.get_buffer("0.1.running_mean"))
for target in ("0.7", "0.0.weight", "x", "0.0.nope.deep"):
    attempt(net.get_submodule, target)
for target in ("0.0.nope", "0.0", "0.1.running_mean", "2.weight"):
    attempt(net.get_parameter, target)
for target in ("0.0.weight", "0.1.nope", "0.1", "5.mean"):
    attempt(net.get_buffer, target)
net.set_submodule("0.1", nn.Identity())
net.set_submodule("0.new", nn.Tanh())
net.set_submodule("1", nn.Sigmoid(), strict=True)
print(net)
attempt(net.set_submodule, "", nn.ReLU())
attempt(net.set_submodule, "0", 3)
attempt(net.set_submodule, "0.9", nn.ReLU(), strict=True)
attempt(net.set_submodule, "0.0.weight", nn.ReLU())
attempt(net.set_submodule, "4.0", nn.ReLU())

print("walking")
shared = nn.Linear(1, 1)
tied = nn.Module()
tied.a, tied.b, tied.inner = shared, shared, nn.Sequential(shared, nn.BatchNorm1d(1))
tied.weight = shared.weight
for each in (False, True):
    print([name for name, _ in tied.named_modules(remove_duplicate=each)], len(list(tied.modules(remove_duplicate=each))))
    print([name for name, _ in tied.named_parameters(remove_duplicate=each)])
    print([name for name, _ in tied.named_buffers("model", remove_duplicate=each)])
print([name for name, _ in tied.named_children()], len(list(tied.children())))
print([name for name, _ in tied.named_parameters(prefix="p", recurse=False)], len(list(tied.parameters(recurse=False))))
print(list(tied.state_dict()), len(list(tied.buffers(recurse=False))))
names = [name for name in dir(tied) if not name.startswith("_")]
print("a" in names, "weight" in names, "forward" in names, "0" in dir(tied.inner))
order = []
tied.apply(lambda each: order.append(type(each).__name__))
print(order)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self.head = nn.Dropout(0.5)

    def train(self, mode=True):
        super().train(mode)
        self.norm.eval()
        return self


f = nn.Sequential(Frozen()).train()
print(f.training, f[0].norm.training, f[0].head.training, f.eval()[0].head.training)
print(f.requires_grad_(False) is f, [p.requires_grad for p in f.parameters()])
twin = copy.deepcopy(net)
print(twin[0][0].weight is net[0][0].weight, torch.equal(twin[0][0].weight, net[0][0].weight), list(twin.state_dict()))
print(_single(3), _pair(3), _pair((1, 2)), _triple(1), issubclass(nn.BatchNorm2d, _BatchNorm))
print(torch.nn.modules.linear.Linear is nn.Linear, torch.nn.modules.Conv2d is nn.Conv2d, torch.nn.modules.module.Module is nn.Module)


class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)

    def extra_repr(self):
        return "one\n\ntwo"


print(nn.Sequential(Text(), nn.Sequential()))
