"""The benchmark `dispatches`: two networks that are trained on WebGPU, step by step, to be counted.

`cargo lab bench dispatches --peers` runs this file in Chromium, and its like in `peers/` in other
frameworks. A counting program calls `start` once, and then `step` for each step it counts.
"""

import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F
from glowgrad import lab

batches = {"mlp": (128, 784), "cnn": (32, 1, 28, 28)}


def mlp():
    return nn.Sequential(
        nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10)
    )


def cnn():
    first = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2))
    second = nn.Sequential(nn.Conv2d(8, 16, 3), nn.ReLU(), nn.MaxPool2d(2))
    return nn.Sequential(first, second, nn.Flatten(), nn.Linear(400, 10))


def start(name, eager):
    global images, labels, model, optimizer
    lab.record(False)
    lab.fallback(False)
    lab.set_eager(eager)
    torch.manual_seed(0)
    images = torch.rand(*batches[name]).to("webgpu")
    labels = torch.randint(0, 10, batches[name][:1]).to("webgpu")
    model = {"mlp": mlp, "cnn": cnn}[name]().to("webgpu")
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)


def step():
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
