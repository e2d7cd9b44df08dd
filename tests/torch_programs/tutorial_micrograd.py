# Backpropagation for single numbers in sixty lines, held against torch, then put to work.
import math
import random

import torch


class Number:
    """A number that remembers what it was made of."""

    def __init__(self, data, sources=(), name=""):
        self.data, self.grad = float(data), 0.0
        self._sources, self._name = tuple(sources), name
        self._pull = lambda: None

    @staticmethod
    def of(x):
        return x if isinstance(x, Number) else Number(x)

    def _made(self, data, sources, slopes, name):
        out = Number(data, sources, name)

        def pull():
            for source, slope in zip(sources, slopes):
                source.grad += slope * out.grad

        out._pull = pull
        return out

    def __add__(self, other):
        other = Number.of(other)
        return self._made(self.data + other.data, (self, other), (1.0, 1.0), "+")

    def __mul__(self, other):
        other = Number.of(other)
        return self._made(self.data * other.data, (self, other), (other.data, self.data), "*")

    def __pow__(self, power):
        assert isinstance(power, (int, float)), "powers are plain numbers"
        return self._made(self.data ** power, (self,), (power * self.data ** (power - 1),), f"**{power}")

    def tanh(self):
        t = math.tanh(self.data)
        return self._made(t, (self,), (1 - t * t,), "tanh")

    def exp(self):
        e = math.exp(self.data)
        return self._made(e, (self,), (e,), "exp")

    def relu(self):
        return self._made(max(self.data, 0.0), (self,), (float(self.data > 0),), "relu")

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for source in node._sources:
                    visit(source)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._pull()

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-Number.of(other))

    def __rsub__(self, other):
        return Number.of(other) + (-self)

    def __truediv__(self, other):
        return self * Number.of(other) ** -1

    def __rtruediv__(self, other):
        return Number.of(other) * self ** -1

    def __repr__(self):
        return f"Number(data={self.data:.4f}, grad={self.grad:.4f})"


def expression(a, b, exp, tanh, relu):
    c = a * b + b ** 3 - 2
    d = tanh(c / 7) + relu(a - b) * 0.5
    return 3 / (exp(-d) + 1) + d * d


a, b = Number(1.5), Number(-0.75)
y = expression(a, b, Number.exp, Number.tanh, Number.relu)
y.backward()
ta = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
tb = torch.tensor(-0.75, dtype=torch.double, requires_grad=True)
ty = expression(ta, tb, torch.exp, torch.tanh, torch.relu)
ty.backward()
print(y, a, b)
print(ty, ta.grad, tb.grad)
for own, theirs in ((y.data, ty.item()), (a.grad, ta.grad.item()), (b.grad, tb.grad.item())):
    assert abs(own - theirs) < 1e-12
print(round(ty.item(), 9), round(ta.grad.item(), 9))


class Neuron:
    def __init__(self, inputs, bends):
        self.w = [Number(random.uniform(-1, 1)) for _ in range(inputs)]
        self.b, self.bends = Number(0), bends

    def __call__(self, x):
        total = sum((w * each for w, each in zip(self.w, x)), self.b)
        return total.tanh() if self.bends else total

    def parameters(self):
        return self.w + [self.b]


class Net:
    def __init__(self, *sizes):
        last = len(sizes) - 2
        self.layers = [
            [Neuron(i, k < last) for _ in range(o)] for k, (i, o) in enumerate(zip(sizes, sizes[1:]))
        ]

    def __call__(self, x):
        for layer in self.layers:
            x = [neuron(x) for neuron in layer]
        return x[0]

    def parameters(self):
        return [p for layer in self.layers for neuron in layer for p in neuron.parameters()]


random.seed(8)
net = Net(2, 4, 1)
samples = [((0, 0), -1), ((0, 1), 1), ((1, 0), 1), ((1, 1), -1)]
print(len(net.parameters()))
# The same network of torch, with the same numbers.
weights = [
    (torch.tensor([[w.data for w in neuron.w] for neuron in layer], dtype=torch.float64),
     torch.tensor([neuron.b.data for neuron in layer], dtype=torch.float64))
    for layer in net.layers
]
for pair in weights:
    for each in pair:
        each.requires_grad_()
inputs = torch.tensor([x for x, _ in samples], dtype=torch.float64)
wanted = torch.tensor([float(y) for _, y in samples], dtype=torch.float64)
for step in range(60):
    loss = sum((net(x) - y) ** 2 for x, y in samples) / 4
    for p in net.parameters():
        p.grad = 0.0
    loss.backward()
    for p in net.parameters():
        p.data -= 0.3 * p.grad
    (w1, b1), (w2, b2) = weights
    tloss = ((torch.tanh(inputs @ w1.T + b1) @ w2.T + b2).squeeze(1) - wanted).pow(2).mean()
    tloss.backward()
    with torch.no_grad():
        for each in (w1, b1, w2, b2):
            each -= 0.3 * each.grad
            each.grad = None
    assert abs(loss.data - tloss.item()) < 1e-9
    if step % 12 == 0:
        print(f"step {step:2d} loss {loss.data:.6f} torch {tloss.item():.6f}")
print([round(net(x).data, 3) for x, _ in samples])
