"""The benchmark `kernels`: functions of a million elements, and a training step of a CNN, on the CPU.

`cargo lab bench kernels` runs this file as it is, natively and in Chromium; Python with PyTorch runs it too. It prints one JSON
object with a number of milliseconds for each repetition. The series are interleaved, so that a slow moment of the machine falls
on all of them. A sum is read of each result, so that every element is computed.
"""

import json
import time

import torch
from torch import nn
import torch.nn.functional as F

REPETITIONS = 12

x = torch.arange(1_000_000) % 1000 / 250 - 2
positive = x.abs() + 0.5
FUNCTIONS = {
    "maximum": lambda: torch.maximum(x, positive),
    "exp": lambda: x.exp(),
    "log": lambda: positive.log(),
    "tanh": lambda: x.tanh(),
    "erf": lambda: x.erf(),
}

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 24, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(24, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(800, 128), nn.ReLU(), nn.Linear(128, 10),
)
optimizer = torch.optim.Adam(model.parameters())
images, labels = torch.randn(250, 1, 28, 28), torch.arange(250) % 10


def step():
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def on_threads(n, run):
    def timed():
        torch.set_num_threads(n)
        return run()

    return timed


ways = {f"{name} of 1 M elements": on_threads(1, lambda of=of: of().sum()) for name, of in FUNCTIONS.items()}
# A page has one thread.
for n in [1, 2] if torch.get_num_threads() > 1 else [1]:
    ways[f"step of a CNN, {n} thread{'s' * (n > 1)}"] = on_threads(n, step)

series = {name: [] for name in ways}
for repetition in range(-2, REPETITIONS):  # two to warm up
    # What runs second finds warmer caches: they take turns.
    order = list(ways.items())
    for name, run in order if repetition % 2 else reversed(order):
        began = time.perf_counter()
        run().item()
        millis = (time.perf_counter() - began) * 1000
        if repetition >= 0:
            series[name].append(millis)

print(json.dumps({"unit": "ms", "series": series}))
