"""The benchmark `step`: one training step of the digits network, recorded and not.

`cargo lab bench step` runs this file as it is, natively and in Chromium. It prints one JSON object
with a number of milliseconds for each repetition. The two series are interleaved, so that a slow
moment of the machine falls on both; each repetition is the mean of many steps, because a browser's
clock is coarse.
"""

import json
import time

import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F
from glowgrad import lab
from glowgrad.datasets import load_digits

REPETITIONS = 40
STEPS = 40
BATCH = 64

torch.manual_seed(0)
images, labels = load_digits()
images = images / 16
model = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
batches = [torch.randperm(len(images))[:BATCH] for _ in range(STEPS)]


def train():
    for batch in batches:
        loss = F.cross_entropy(model(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


series = {"recording off": [], "recording on": []}
for repetition in range(-2, REPETITIONS):  # two to warm up
    # The second one finds warmer caches: each is second in turn.
    order = list(series.items())
    for name, numbers in order if repetition % 2 else reversed(order):
        lab.record(name == "recording on")
        began = time.perf_counter()
        train()
        millis = (time.perf_counter() - began) * 1000 / STEPS
        if repetition >= 0:
            numbers.append(millis)

lab.record(True)
print(json.dumps({"unit": "ms", "series": series}))
