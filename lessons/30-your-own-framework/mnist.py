"""Reads the digits of MNIST with the framework of the last lesson: `glow python mnist.py FOLDER`.

FOLDER holds MNIST's four files, packed or not. Down to the line that says so, these are the lesson's own cells. The
pieces of `mine` are yours where a folder `mine` lies beside the program, and else the course's.
"""

import sys
import time

import glowgrad as torch
from glowgrad import lab
from mine import Adam, MatMul, backward, broadcast_shapes
from mine import cross_entropy, stretched_strides, unbroadcast
from torchvision.datasets import MNIST


def stretch(x, shape):
    """x, read as if it had this shape. A view."""
    strides = stretched_strides(
        tuple(x.shape), x.stride(), shape)
    return x.as_strided(shape, strides)


def together(a, b):
    """Both, stretched to the shape that they share."""
    shape = broadcast_shapes(
        tuple(a.shape), tuple(b.shape))
    return stretch(a, shape), stretch(b, shape)


class Notes:
    """What forward writes down for backward."""

    def save_for_backward(self, *arrays):
        self.saved_tensors = arrays


class Add:
    def forward(ctx, a, b):
        ctx.shapes = tuple(a.shape), tuple(b.shape)
        a, b = together(a, b)
        return a + b

    def backward(ctx, gy):
        a, b = ctx.shapes
        return unbroadcast(gy, a), unbroadcast(gy, b)


class Mul:
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        a, b = together(a, b)
        return a * b

    def backward(ctx, gy):
        a, b = ctx.saved_tensors
        return (unbroadcast(gy * b, tuple(a.shape)),
                unbroadcast(gy * a, tuple(b.shape)))


class Tanh:
    def forward(ctx, x):
        ctx.y = x.tanh()
        return ctx.y

    def backward(ctx, gy):
        return (gy * (1 - ctx.y * ctx.y),)


class Sum:
    def forward(ctx, x):
        ctx.shape = tuple(x.shape)
        return x.sum()

    def backward(ctx, gy):
        return (stretch(gy, ctx.shape),)


class Slope:
    """Times a gradient, it is the op's way back."""

    def __init__(self, op, ctx, place):
        self.op, self.ctx, self.place = op, ctx, place

    def __mul__(self, gradient):
        ctx = self.ctx
        if getattr(ctx, "asked", None) is not gradient:
            # One answer serves all operands.
            gy = gradient
            if isinstance(gy, (int, float)):
                gy = lab.array(gy)
            ctx.answer = self.op.backward(ctx, gy)
            ctx.asked = gradient
        # 1.0 * makes a new array, so that the walk's +=
        # changes no other array.
        return 1.0 * ctx.answer[self.place]

    __rmul__ = __mul__


def as_tensor(x):
    if isinstance(x, Tensor):
        return x
    return Tensor(lab.array(x))


def apply(op, *sources, **how):
    """Runs an op forward, and makes a node of it."""
    sources = tuple(as_tensor(x) for x in sources)
    ctx = Notes()
    arrays = [source.data for source in sources]
    data = op.forward(ctx, *arrays, **how)
    slopes = tuple(Slope(op, ctx, place)
                   for place in range(len(sources)))
    return Tensor(data, sources, slopes, op.__name__)


class Tensor:
    """An array that remembers what it was made from."""

    def __init__(self, data, prev=(), slopes=(), op=""):
        self.data, self.grad = data, 0.0
        self._prev, self._slopes = prev, slopes
        self._op = op

    def __add__(self, other):
        return apply(Add, self, other)

    def __mul__(self, other):
        return apply(Mul, self, other)

    def __matmul__(self, other):
        return apply(MatMul, self, other)

    def __sub__(self, other):
        return self + as_tensor(other) * -1.0

    __radd__, __rmul__ = __add__, __mul__

    def tanh(self):
        return apply(Tanh, self)

    def sum(self):
        return apply(Sum, self)

    def backward(self):
        backward(self)  # yours


def softmax(logits):
    top = logits.amax(dim=1, keepdim=True)
    e = (logits - top).exp()
    return e / e.sum(dim=1, keepdim=True)


class CrossEntropy:
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits, target)
        return cross_entropy(logits, target)

    def backward(ctx, gy):
        logits, target = ctx.saved_tensors
        n, classes = logits.shape
        columns = lab.array(list(range(classes)))
        y = target.reshape(n, 1) == columns
        p = softmax(logits)
        return (gy * (p - y.float()) / n,)


def surprise(logits, target):
    return apply(CrossEntropy, logits, target=target)


class Linear:
    def __init__(self, n_in, n_out):
        weight = torch.randn(n_in, n_out) / n_in**0.5
        self.weight = Tensor(lab.array(weight))
        self.bias = Tensor(lab.array([0.0] * n_out))

    def __call__(self, x):
        return x @ self.weight + self.bias

    def parameters(self):
        return [self.weight, self.bias]


class Network:
    def __init__(self, *sizes):
        self.layers = [Linear(m, n) for m, n
                       in zip(sizes, sizes[1:])]

    def __call__(self, x):
        x = as_tensor(x)
        for layer in self.layers[:-1]:
            x = layer(x).tanh()
        return self.layers[-1](x)

    def parameters(self):
        return [p for layer in self.layers
                for p in layer.parameters()]


def arrays(network):
    return [p.data for p in network.parameters()]


def step(network, optimizer, x, y):
    loss = surprise(network(x), y)
    for p in network.parameters():
        p.grad = 0.0
    loss.backward()
    for p in network.parameters():
        p.data.grad = p.grad
    optimizer.step()
    return loss.data.item()


def batches(x, y, size=64):
    for rows in torch.randperm(len(x)).split(size):
        digits = x[rows]
        noise = 0.1 * torch.randn_like(digits)
        yield digits + noise, y[rows]


# Here the lesson's cells end.


def load(folder, train):
    data = MNIST(folder, train=train)
    return data.data.reshape(-1, 784) / 255, data.targets


def accuracy(network, x, y):
    right = 0
    for digits, labels in zip(x.split(1000), y.split(1000)):
        guesses = network(digits).data.argmax(dim=1)
        right += (guesses == labels).sum().item()
    return right / len(x)


if len(sys.argv) != 2:
    sys.exit("usage: glow python mnist.py FOLDER")
train_x, train_y = load(sys.argv[1], train=True)
test_x, test_y = load(sys.argv[1], train=False)
print(len(train_x), "digits to learn from,", len(test_x), "to test with")

torch.manual_seed(0)
network = Network(784, 128, 10)
optimizer = Adam(arrays(network), lr=0.002)
for epoch in range(5):
    began = time.perf_counter()
    for x, y in batches(train_x, train_y, size=128):
        loss = step(network, optimizer, x, y)
    right = accuracy(network, test_x, test_y)
    took = time.perf_counter() - began
    print(f"epoch {epoch + 1}: {right:.2%} of the test digits, {took:.0f} s", flush=True)
