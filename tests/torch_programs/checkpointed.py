import warnings
from functools import partial

import torch
import torch.nn as nn
from torch.utils.checkpoint import (
    CheckpointError, check_backward_validity, checkpoint, checkpoint_sequential, detach_variable,
    noop_context_fn, set_checkpoint_early_stop,
)

warnings.simplefilter("ignore")


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a, self.b, self.drop = nn.Linear(n, n), nn.Linear(n, n), nn.Dropout(0.5)
        self.runs = 0

    def forward(self, x, scale=1.0):
        self.runs += 1
        return x + scale * self.drop(self.b(self.a(x).tanh()))


def numbers(values):
    return [[round(v, 4) for v in x.flatten().tolist()] for x in values]


for reentrant in (None, True, False, "plain"):
    torch.manual_seed(0)
    block = Block(3)
    x = torch.randn(2, 3, requires_grad=True)
    if reentrant == "plain":
        y = block(x * 2)
    elif reentrant is None:
        y = checkpoint(block, x * 2)
    else:
        y = checkpoint(block, x * 2, use_reentrant=reentrant)
    print(reentrant, block.runs, y.requires_grad, round(torch.rand(1).item(), 4))
    y.pow(2).sum().backward()
    print(block.runs, numbers([y, x.grad]), round(torch.rand(1).item(), 4))
    print(numbers([p.grad for p in block.parameters()])[1:2])

print("what a function finds around itself")
torch.manual_seed(1)
layer = nn.Linear(2, 2)
table = {"w": torch.randn(2, requires_grad=True)}
rows = [nn.Linear(2, 2), nn.Tanh()]
outside = torch.randn(2, requires_grad=True)
middle = outside + 3


class Holder:
    def __init__(self):
        self.layers = [nn.Linear(2, 2)]

    def run(self, x):
        return self.layers[0](x) * table["w"]


def with_globals(x):
    for row in rows:
        x = row(x)
    return layer(x) * table["w"]


def make(inner):
    def with_closure(x, *, factor=1.0):
        return inner(x) * factor + middle
    return with_closure


holder, closure = Holder(), make(nn.Linear(2, 2))
leaves = [*layer.parameters(), table["w"], *rows[0].parameters(), outside, *holder.layers[0].parameters(), *closure.__closure__[0].cell_contents.parameters()]
x = torch.tensor([[1.0, -2.0]], requires_grad=True)
for function in (with_globals, holder.run, closure, partial(closure, factor=2.0), lambda t: layer(t) * t):
    found = []
    for way in ("plain", False, True):
        y = function(x * 1) if way == "plain" else checkpoint(function, x * 1, use_reentrant=way)
        if way is True:
            for leaf in [x, *leaves]:
                leaf.grad = None
            y.sum().backward(retain_graph=True)
            grads = [leaf.grad for leaf in [x, *leaves]]
        else:
            grads = torch.autograd.grad(y.sum(), [x, *leaves], allow_unused=True, retain_graph=True)
        found.append([None if g is None else [round(v, 4) for v in g.flatten().tolist()] for g in grads])
    print(found[0] == found[1], found[0] == found[2], found[0][0])

print("second gradients, keywords, several results")
x = torch.tensor([0.5, 1.5], requires_grad=True)
w = torch.tensor([2.0, 3.0], requires_grad=True)


def cubes(x, w=None, name="text"):
    return (x ** 3 * w).sum(), x * w, name


y, z, name = checkpoint(cubes, x, w=w, use_reentrant=False)
g, = torch.autograd.grad(y, x, create_graph=True)
print(g, torch.autograd.grad(g.sum(), [x, w]), name)
y, z, name = checkpoint(cubes, x, w, use_reentrant=False)
z.sum().backward()
print(x.grad, w.grad)
x.grad = w.grad = None
y, z, name = checkpoint(cubes, x, w, use_reentrant=True)
(y + z.sum()).backward()
print(x.grad, w.grad, name)
y, z, name = checkpoint(cubes, x.detach(), w, use_reentrant=False)
print(y.requires_grad, torch.autograd.grad(y, w))
with torch.no_grad():
    print(checkpoint(cubes, x, w, use_reentrant=False)[0].requires_grad, checkpoint(cubes, x, w, use_reentrant=True)[0].requires_grad)
print(checkpoint(lambda t: {"a": t * 2}, x, use_reentrant=False)["a"].requires_grad)
print(checkpoint(lambda t: t.argmax(), x, use_reentrant=False), checkpoint(lambda: w * 2, use_reentrant=False).requires_grad)

print("random numbers")
for preserve in (True, False):
    for reentrant in (True, False):
        torch.manual_seed(2)
        x = torch.ones(6, requires_grad=True)
        y = checkpoint(lambda t: nn.functional.dropout(t, 0.5), x, use_reentrant=reentrant, preserve_rng_state=preserve)
        y.sum().backward()
        print(preserve, y.tolist(), x.grad.tolist() if preserve else "", round(torch.rand(1).item(), 4))

print("segments")
torch.manual_seed(3)
model = nn.Sequential(*[nn.Linear(2, 2) if i % 2 == 0 else nn.Tanh() for i in range(7)])
x = torch.randn(3, 2, requires_grad=True)
for segments in (1, 2, 3, 7):
    for functions in (model, list(model)):
        for reentrant in (True, False):
            x.grad = None
            model.zero_grad()
            y = checkpoint_sequential(functions, segments, x, use_reentrant=reentrant)
            y.sum().backward()
            print(segments, numbers([y, x.grad])[1][:2], numbers([model[0].weight.grad]))
attempt(checkpoint_sequential, model, 2, x, use_reentrant=True, colour=1)

print("as a decorator")


@checkpoint(use_reentrant=False)
def squared(x):
    """Squares."""
    print("runs")
    return x * x


x = torch.tensor([3.0], requires_grad=True)
squared(x).backward()
print(x.grad, squared.__name__, squared.__doc__)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 1, bias=False)

    @checkpoint(use_reentrant=False)
    def forward(self, x):
        return self.layer(x)


net = Net()
net(x).backward()
print(net.layer.weight.grad)
with set_checkpoint_early_stop(False):
    checkpoint(torch.sin, x, use_reentrant=False, debug=False, determinism_check="none", early_stop=False).backward()
print(issubclass(CheckpointError, RuntimeError), len(noop_context_fn()), check_backward_validity([x]))
given = detach_variable((x * 2, 3))
print(given, given[0].is_leaf, given[0].requires_grad)
attempt(detach_variable, [x])
attempt(checkpoint, squared, x, use_reentrant=True, colour="red")
attempt(checkpoint, squared, x, use_reentrant=True, debug=True)
attempt(checkpoint, squared, x, use_reentrant=False, determinism_check="never")
attempt(checkpoint, colour="red")
y = checkpoint(lambda t: (t * 2).detach(), x, use_reentrant=True)
attempt(y.backward)
