import copy
import warnings

import torch
import torch.nn as nn
from torch.nn.utils import (
    clip_grad_norm, clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm,
    parameters_to_vector, vector_to_parameters,
)
from torch.nn.utils.clip_grad import clip_grad_norm_ as same


warnings.simplefilter("ignore")


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


def fresh(scale=1.0):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    (scale * net(torch.randn(5, 3)).pow(2).sum()).backward()
    return net


def show(net):
    return [[round(v, 5) for v in p.grad.flatten().tolist()] for p in net.parameters()]


print(same is clip_grad_norm_, nn.utils.clip_grad_norm_ is clip_grad_norm_)
for norm_type in (2.0, 1, 3, 0.5, float("inf"), "inf", float("-inf"), 0):
    net = fresh()
    norm = clip_grad_norm_(net.parameters(), 0.5, norm_type)
    print(norm_type, round(norm.item(), 4), norm.requires_grad, show(net)[1])
for foreach in (None, True, False):
    net = fresh(10.0)
    print(round(clip_grad_norm_(list(net.parameters()), max_norm=2, foreach=foreach).item(), 4), show(net))
net = fresh(0.01)
before = show(net)
print(round(clip_grad_norm_(net.parameters(), 100.0).item(), 6), show(net) == before)
print(clip_grad_norm_(net[0].weight, 0.001).shape, show(net)[0][:3])
print(clip_grad_norm(net.parameters(), 0.0005).item() > 0, show(net)[1])
print(clip_grad_norm_([], 1.0), clip_grad_norm_([torch.ones(2)], 1.0), clip_grad_norm_(iter([]), 1.0))
net[0].weight.grad = None
print(round(clip_grad_norm_(net.parameters(), 1e-4).item(), 6))
for bad in (float("nan"), float("inf")):
    net = fresh()
    net[2].bias.grad.fill_(bad)
    attempt(clip_grad_norm_, net.parameters(), 1.0, error_if_nonfinite=True)
    attempt(clip_grad_norm_, net.parameters(), 1.0, 1.0, True)
    print(clip_grad_norm_(net.parameters(), 1.0), show(net)[1:])
attempt(clip_grad_norm_, net.parameters(), "much")
attempt(clip_grad_norm_, net.parameters(), 1.0, "text")

net = fresh()
clip_grad_value_(net.parameters(), 0.3)
print(show(net))
clip_grad_value_(net[0].weight, 1, foreach=True)
clip_grad_value_([net[0].bias], clip_value="0.1")
print(show(net)[1])

net = fresh()
norm = get_total_norm([p.grad for p in net.parameters()])
print(round(norm.item(), 4), round(get_total_norm(net[0].weight.grad, norm_type=1.0).item(), 4), get_total_norm([]))
clip_grads_with_norm_(net.parameters(), 0.1, norm, foreach=False)
print(show(net), round(get_total_norm([p.grad for p in net.parameters()]).item(), 4))
clip_grads_with_norm_(net[2].bias, 1e-6, torch.tensor(1.0))
print(net[2].bias.grad.item() < 1e-5)
mixed = [torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.float64, requires_grad=True)]
(mixed[0].sum() * 3 + mixed[1].sum() * 4).backward()
norm = clip_grad_norm_(mixed, 1.0)
print(norm, [p.grad for p in mixed])

print("as one vector")
net = fresh()
vector = parameters_to_vector(net.parameters())
print(vector.shape, vector.requires_grad, [round(v, 4) for v in vector[:4].tolist()])
other = copy.deepcopy(net)
vector_to_parameters(torch.zeros_like(vector), other.parameters())
print(other[0].weight, other[0].weight.requires_grad, isinstance(other[0].weight, nn.Parameter))
vector_to_parameters(vector, other.parameters())
print(all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters())), other[2].bias.grad_fn)
attempt(vector_to_parameters, [1.0], net.parameters())
w = torch.tensor([1.0, 2.0], requires_grad=True)
g, = torch.autograd.grad(parameters_to_vector([w, w * 3]).pow(2).sum(), w, create_graph=True)
print(g, torch.autograd.grad(g.sum(), w))

print("in training")
torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
x, y = torch.randn(16, 3) * 10, torch.randn(16, 1)
for step in range(4):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    norm = clip_grad_norm_(net.parameters(), max_norm=1.0)
    optimizer.step()
    print(round(loss.item(), 3), round(norm.item(), 3))
