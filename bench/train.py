"""The benchmark `train`: training steps of the digits network, in a loop and by `lab.train`.

`cargo lab bench train` runs this file as it is, natively and in Chromium. It prints one JSON object
with a number of milliseconds for each repetition. The series are interleaved, so that a slow moment of
the machine falls on all of them.
"""

import json
import time

import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F
from glowgrad import lab
from glowgrad.datasets import load_digits

REPETITIONS = 20
STEPS = 200
BATCH = 64

torch.manual_seed(0)
images, labels = load_digits()
images = images / 16
model = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)


def step():
    batch = torch.randperm(len(images))[:BATCH]
    loss = F.cross_entropy(model(images[batch]), labels[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def loop():
    for _ in range(STEPS):
        loss = step()
    return loss.item()


ways = {"in a loop": loop, "lab.train": lambda: lab.train(step, STEPS)}
series = {name: [] for name in ways}
lab.record(False)
for repetition in range(-2, REPETITIONS):  # two to warm up
    # The second one finds warmer caches: each is second in turn.
    order = list(ways.items())
    for name, run in order if repetition % 2 else reversed(order):
        began = time.perf_counter()
        run()
        millis = (time.perf_counter() - began) * 1000 / STEPS
        if repetition >= 0:
            series[name].append(millis)

lab.record(True)
print(json.dumps({"unit": "ms", "series": series}))
