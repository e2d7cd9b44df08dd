"""The benchmark `page`: products, passes and training steps in the page, on one thread, beside other frameworks.

`cargo lab bench page --peers` runs this file in the free cell of the page, and its like in `peers/` in other frameworks.
A measuring program runs it once, and then `turn()` for each turn. A turn runs each row twice, since the first run
finds the caches that another page has left. It prints one JSON object: for each row the milliseconds of the faster run,
and the second one's value, which depends on every element that it computed. All fill their tensors by the same formula
(`filled`), so that the values of a first turn are the same in every framework, but for rounding.
"""

import json
import time

import torch
import torch.nn.functional as F
from glowgrad import lab

lab.record(False)


def filled(*shape, scale=1.0):
    n = 1
    for size in shape:
        n *= size
    return ((torch.arange(n) * 7919 % 1009).float() / 504 - 1).view(*shape) * scale


def product(m, k, n, times):
    a, others = filled(m, k), [filled(k, n) + i for i in range(times)]
    return lambda: sum((a @ b).abs().sum() for b in others)


x, scale = filled(1000, 1000), filled(1000, 1000) + 1.5
weight, bias = filled(1000) + 1.5, filled(1000)


def chain():
    y = torch.tanh(x * 0.5 + 1.0)
    return (torch.sigmoid(y * scale) * y - x).abs().sum()


def softmax():
    return (torch.softmax(x, 1) * scale).sum()


def layer_norm():
    return (F.layer_norm(x, (1000,), weight, bias) * scale).abs().sum()


def adam():
    large = torch.nn.Parameter(filled(1_000_000))
    large.grad = filled(1_000_000) + 0.1
    optimizer = torch.optim.Adam([large])

    def run():
        optimizer.step()
        return large.detach().abs().sum()

    return run


def small():
    a, b = filled(8).requires_grad_(), filled(8).requires_grad_()

    def run():
        y = a
        for _ in range(100):
            y = (y + b) * 0.5
        return y.sum()

    return run


def parameters(*shapes):
    """Weights of width 1 / sqrt(what comes in), biases of zeros."""
    made = []
    for shape in shapes:
        fan = 1
        for size in shape[1:]:
            fan *= size
        value = filled(*shape, scale=fan**-0.5) if len(shape) > 1 else torch.zeros(*shape)
        made.append(torch.nn.Parameter(value))
    return made


def step(batch, shapes, apply):
    images, labels = filled(*batch), torch.arange(batch[0]) % 10
    weights = parameters(*shapes)
    optimizer = torch.optim.Adam(weights)

    def run():
        loss = F.cross_entropy(apply(weights, images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return run


def mlp(weights, x):
    w1, b1, w2, b2, w3, b3 = weights
    x = F.relu(F.linear(x, w1, b1))
    return F.linear(F.relu(F.linear(x, w2, b2)), w3, b3)


def cnn(weights, x):
    w1, b1, w2, b2, w3, b3, w4, b4 = weights
    x = F.max_pool2d(F.relu(F.conv2d(x, w1, b1)), 2)
    x = F.max_pool2d(F.relu(F.conv2d(x, w2, b2)), 2)
    return F.linear(F.relu(F.linear(x.flatten(1), w3, b3)), w4, b4)


perceptron = [(256, 784), (256,), (128, 256), (128,), (10, 128), (10,)]
convolutions = [(24, 1, 5, 5), (24,), (32, 24, 3, 3), (32,), (128, 800), (128,), (10, 128), (10,)]
rows = {
    "product of 64²": product(64, 64, 64, 50),
    "product of 128²": product(128, 128, 128, 10),
    "product of 256²": product(256, 256, 256, 2),
    "product of 512²": product(512, 512, 512, 1),
    "product of 1024²": product(1024, 1024, 1024, 1),
    "product of 1000 x 784 x 256": product(1000, 784, 256, 1),
    "8 ops with tanh and sigmoid, 1 M": chain,
    "softmax, 1000 x 1000": softmax,
    "layer norm, 1000 x 1000": layer_norm,
    "Adam, 1 M": adam(),
    "200 ops on 8 elements": small(),
    "step of an MLP, batch 1000": step((1000, 784), perceptron, mlp),
    "step of an MLP, batch 128": step((128, 784), perceptron, mlp),
    "step of a CNN, batch 250": step((250, 1, 28, 28), convolutions, cnn),
}


def turn():
    # Until the page has drawn that a cell runs.
    time.sleep(0.3)
    told = {}
    for name, run in rows.items():
        runs = []
        for _ in range(2):
            began = time.perf_counter()
            value = run().item()
            runs.append((time.perf_counter() - began) * 1000)
        told[name] = [min(runs), value]
    print(json.dumps(told))
