"""The benchmark `training`: what whole trainings reach, beside the bars that are set for them.

`cargo lab bench training` runs this file as it is and prints the figures of its JSON object. Data sets lie in the folder
that GLOW_DATA names (`mnist/`, `cifar10/`, `shakespeare/`); without it, rows that need one are named as skipped.
`glow python bench/training.py cache cnn` measures the named rows alone. In Chromium `tests/browser/bench_training.mjs` runs
the file in a cell of the page, each row by itself, with `gpt_curve` in the place of `gpt`.

The trainings above `seconds_of` run in PyTorch too: `tests/golden/make_training.py` takes them from here and writes the
losses that this file compares with.
"""

import json
import math
import os
import sys
import time
import zlib

import torch
import torch.nn.functional as F
from torch import nn

from glowgrad import models

DATA = os.environ.get("GLOW_DATA")
GOLDEN = "tests/golden/training.json"


def in_a_loop(step, batches):
    """The losses of a training, one step for each batch; `lab.train` does the same."""
    return [step(*batch).item() for batch in batches]


def read(path, begin=0, end=None):
    """The bytes of a compressed file, or those between two places, as a tensor that is put together from parts: in a page no
    Python object is as large as MNIST's images."""
    with open(os.path.join(DATA, path), "rb") as file:
        compressed = file.read()
    stream, parts, n = zlib.decompressobj(31), [], 0
    while not stream.eof and (end is None or n < end):
        part = stream.decompress(compressed, 2**23)
        compressed = stream.unconsumed_tail
        if not part and not stream.eof:
            raise EOFError(f"{path} is cut short")
        parts.append(torch.frombuffer(bytearray(part), dtype=torch.uint8))
        n += len(part)
    return torch.cat(parts)[begin:end]


def mnist(part):
    """Images [N, 1, 28, 28] with mean 0 and spread 1, labels [N]."""
    images = read(f"mnist/{part}-images-idx3-ubyte.gz", 16)
    labels = read(f"mnist/{part}-labels-idx1-ubyte.gz", 8)
    return (images.reshape(-1, 1, 28, 28).float() / 255 - 0.1307) / 0.3081, labels.long()


def cifar10(n):
    """The first images [n, 3, 32, 32] of the first training file, and their labels [n]."""
    record = 1 + 3 * 32 * 32
    records = read("cifar10/data_batch_1.bin.gz", end=n * record).reshape(n, record)
    mean = torch.tensor([0.4914, 0.4822, 0.4465]).reshape(3, 1, 1)
    spread = torch.tensor([0.2470, 0.2435, 0.2616]).reshape(3, 1, 1)
    return (records[:, 1:].reshape(n, 3, 32, 32).float() / 255 - mean) / spread, records[:, 0].long()


def shakespeare():
    """Characters as numbers: the first nine tenths, to train with, and the rest."""
    with open(os.path.join(DATA, "shakespeare/input.txt"), encoding="utf-8") as file:
        text = file.read()
    numbers = {character: i for i, character in enumerate(sorted(set(text)))}
    data = torch.tensor([numbers[character] for character in text])
    cut = int(0.9 * len(data))
    return data[:cut], data[cut:]


def train_on_digits(model, epochs, lr, batch_size=64, train=in_a_loop):
    """The share of MNIST's test images that a network reads after so many epochs of its training images."""
    images, labels = mnist("train")
    n_steps = len(images) // batch_size
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=lr, total_steps=epochs * n_steps)

    def step(batch):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images[batch]), labels[batch])
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss

    for _ in range(epochs):
        order = torch.randperm(len(images))[:n_steps * batch_size]
        train(step, [(batch,) for batch in order.split(batch_size)])
    model.eval()
    images, labels = mnist("t10k")
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in zip(images.split(500), labels.split(500)))
    return right / len(images)


def small_cnn():
    """Two pairs of convolution and pooling, and two linear layers."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(800, 128), nn.ReLU(), nn.Linear(128, 10),
    )


# Learning rates by dtype at which a rounding error stays small for 20 steps. Batch normalisation, ReLU and momentum
# multiply it with every step: at 0.05, two builds of PyTorch that draw weights with another last bit differ by 0.1.
PHOTOGRAPHS = {
    "resnet18": {"float32": 5e-5},
    "mobilenet_v2": {"float32": 1e-6},
}


def losses_on_photographs(name, dtype, lr, train=in_a_loop, steps=20):
    """The losses of 20 steps of SGD at batch 32, on the first 640 images of CIFAR-10's sample."""
    torch.manual_seed(0)
    if name == "resnet18":
        model = models.resnet18(10, "cifar")
    else:
        model = models.MobileNetV2(10, stem="cifar", dropout=0.0)
    model.to(dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    images, labels = cifar10(32 * steps)
    images = images.to(dtype)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return train(step, list(zip(images.split(32), labels.split(32))))


def train_gpt(n_steps, train=in_a_loop, of=2000, seed=1337):
    """A GPT after steps with nanoGPT's settings for a CPU, the losses of these steps, and the validation part."""
    torch.manual_seed(seed)
    model = models.GPT()
    size = model.config.block_size
    data, validation = shakespeare()
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99))

    def rate(i, warmup=100):
        """Up in a line, then down along a cosine to a tenth."""
        if i < warmup:
            return (i + 1) / (warmup + 1)
        return 0.1 + 0.45 * (1 + math.cos(math.pi * (i - warmup) / (of - warmup)))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    window = torch.arange(size + 1)

    def step():
        places = torch.randint(len(data) - size, (12,)).unsqueeze(1) + window
        tokens = data[places]
        optimizer.zero_grad()
        _, loss = model(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        return loss

    return model, train(step, [()] * n_steps), validation


@torch.no_grad()
def loss_on(model, data, batch_size=64):
    """The mean loss over windows that lie side by side, every character but the first predicted once."""
    size = model.config.block_size
    n = (len(data) - 1) // size
    x, y = data[:n * size].reshape(n, size), data[1:n * size + 1].reshape(n, size)
    total = sum(
        model(a, b)[1].item() * len(a) for a, b in zip(x.split(batch_size), y.split(batch_size))
    )
    return total / n


def generate(n_tokens=256):
    """The tokens that nanoGPT's GPT with 256 places makes, with the cache and without it, and the seconds of both."""
    torch.manual_seed(1337)
    model = models.GPT(block_size=n_tokens, n_layer=6, n_head=6, n_embd=384).eval()
    start = torch.zeros(1, 1, dtype=torch.long)
    tokens, seconds = [], []
    for use_cache in (True, False):
        model.generate(start, 2, use_cache=use_cache)  # to warm up
        generator = torch.Generator().manual_seed(0)
        began = time.perf_counter()
        tokens.append(model.generate(start, n_tokens, use_cache=use_cache, generator=generator).tolist())
        seconds.append(time.perf_counter() - began)
    return tokens, seconds


def seconds_of(work):
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def farthest(losses, network, dtype):
    """The largest difference from the losses that PyTorch has in the golden file."""
    with open(GOLDEN, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    expected = next(one["losses"] for one in cases if one["network"] == network and one["dtype"] == dtype)
    if len(losses) != len(expected):
        raise ValueError(f"{network}, {dtype}: {len(losses)} losses, but PyTorch's are {len(expected)}")
    return max(abs(a - b) for a, b in zip(losses, expected))


def digits_row(name, model, epochs, lr, bar, train):
    torch.manual_seed(0)
    share, seconds = seconds_of(lambda: train_on_digits(model(), epochs, lr, train=train))
    yield figure(f"MNIST, {name}: test accuracy after {epochs} epochs", 100 * share, "%", seconds, at_least=bar)


def photographs_rows(network, _):
    # In a loop: as a step that runs again, ResNet-18 takes 9.7 GB at this batch, and a page has 4.
    for dtype, lr in PHOTOGRAPHS[network].items():
        losses, seconds = seconds_of(lambda: losses_on_photographs(network, getattr(torch, dtype), lr))
        difference = farthest(losses, network, dtype)
        yield figure(f"{network}, {dtype}: farthest of 20 losses", difference, "nats", seconds, at_most=1e-3)


def gpt_rows(train):
    (model, losses, validation), seconds = seconds_of(lambda: train_gpt(2000, train))
    loss = loss_on(model, validation)
    yield figure("char-GPT: validation loss after 2,000 steps", loss, "nats", seconds, at_most=1.88)
    yield curve(losses[:200], seconds)


def gpt_curve_rows(train):
    (_, losses, _), seconds = seconds_of(lambda: train_gpt(200, train))
    yield curve(losses, seconds)


def curve(losses, seconds):
    difference = farthest(losses, "gpt", "float32")
    return figure("char-GPT: farthest of the first 200 losses", difference, "nats", seconds, at_most=1e-3)


def cache_rows(_):
    (with_cache, without), seconds = generate()
    if with_cache != without:
        raise ValueError("the tokens with the cache are not those without it")
    ratio = seconds[1] / seconds[0]
    yield figure("GPT: 256 tokens without the cache to with it", ratio, "times", sum(seconds), at_least=5)


def figure(name, value, unit, seconds, **bar):
    print(f"{name}: {value:.6g} {unit}, {seconds:.0f} s", flush=True)
    return {"name": name, "value": value, "unit": unit, "seconds": seconds, **bar}


# What is measured by name, and whether it reads a data set.
ROWS = {
    "cache": (cache_rows, False),
    "mlp": (lambda train: digits_row("MLP", lambda: models.MLP(784, 512, 10), 5, 2e-3, 97.5, train), True),
    "cnn": (lambda train: digits_row("CNN", small_cnn, 3, 4e-3, 99.0, train), True),
    "resnet18": (lambda train: photographs_rows("resnet18", train), True),
    "mobilenet_v2": (lambda train: photographs_rows("mobilenet_v2", train), True),
    "gpt": (gpt_rows, True),
    "gpt_curve": (gpt_curve_rows, True),
}

# A part of another row, which is measured where it is named.
PARTS = ("gpt_curve",)


def main(wanted):
    from glowgrad import lab

    if unknown := [name for name in wanted if name not in ROWS]:
        raise SystemExit(f"no row {unknown[0]}: there is {', '.join(ROWS)}")
    lab.record(False)
    figures, skipped = [], []
    for name, (rows, needs_data) in ROWS.items():
        if name not in wanted if wanted else name in PARTS:
            continue
        if needs_data and not DATA:
            print(f"{name}: skipped, because GLOW_DATA does not say where the data sets lie")
            skipped.append(name)
            continue
        figures.extend(rows(lab.train))
    lab.record(True)
    print(json.dumps({"figures": figures, "skipped": skipped}))


if __name__ == "__main__":
    main(sys.argv[1:])
