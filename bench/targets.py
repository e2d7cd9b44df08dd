"""The benchmark `targets`: what a line of Python takes here and under PyTorch, on one thread and on two, beside the targets.

python bench/targets.py GLOW

GLOW is the program `glow`. Two programs run this file and take turns, round by round: `glow python`, and the Python that runs
`python bench/targets.py`, which needs PyTorch. First they compare what each row computes. A value is read that depends on every
element, so that nothing is left out. Printed are ratios: PyTorch's time by ours, the median over rounds; more than 1 means that
we are faster.
"""

import importlib.util
import json
import signal
import statistics
import subprocess
import sys
import time

WARM_UP, ROUNDS = 2, 12
# Seconds in which a program that had its turn is stopped.
PAUSE = 0.3
# By how much two programs may differ in what a row computes.
CLOSE = 1e-3
# Rows, and the ratio that each is to reach.
TARGETS = {
    "product of 32²": 2.0,
    "product of 64²": 1.2,
    "product of 128²": 1.2,
    "product of 256²": 1.0,
    "product of 512²": 1.0,
    "product of 1024²": 1.0,
    "8 ops with tanh and sigmoid, 1 M": 2.0,
    "softmax, 1000 x 1000": 2.0,
    "its gradient": 2.0,
    "layer norm, 1000 x 1000": 2.0,
    "its gradients": 2.0,
    "Adam, 1 M": 2.0,
    "20 times 10 ops on 8 elements, with a tape": 4.0,
    "step of an MLP, batch 1000": 1.2,
    "step of an MLP, batch 128": 1.2,
    "step of a CNN, batch 250": 1.0,
    "step of a char-GPT, batch 12": 1.3,
}


def rows():
    """Each row as a function that computes it and gives a number."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    torch.manual_seed(0)

    def product(n):
        times = {32: 200, 64: 100, 128: 20}.get(n, 1)
        a, b = torch.randn(n, n) / n**0.5, torch.randn(n, n)

        def run():
            y = b
            for _ in range(times):
                y = a @ y
            return y.sum()

        return run

    x = torch.randn(1000, 1000)
    scale = torch.rand(1000, 1000)
    walked = torch.randn(1000, 1000, requires_grad=True)
    weight, bias = torch.rand(1000, requires_grad=True), torch.rand(1000, requires_grad=True)

    def chain():
        y = torch.tanh(x * 0.5 + 1.0)
        return (torch.sigmoid(y * scale) * y - x).abs().sum()

    def walk(of, leaves):
        def run():
            y = (of(walked) * scale).sum()
            return sum(gradient.abs().sum() for gradient in torch.autograd.grad(y, leaves))

        return run

    def norm(x):
        return F.layer_norm(x, (1000,), weight, bias)

    large = nn.Parameter(torch.randn(1_000_000))
    large.grad = torch.randn(1_000_000)
    adam = torch.optim.Adam([large])

    def adam_step():
        adam.step()
        return large.detach().abs().sum()

    small = [torch.rand(8, requires_grad=True) for _ in range(2)]

    def tape():
        for _ in range(20):
            y = small[0]
            for _ in range(5):
                y = (y + small[1]) * 0.5
            total = y.sum()
            total.item()
        return total

    def step(model, batch):
        optimizer = torch.optim.Adam(model.parameters())

        def run():
            loss = batch(model)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        return run

    def classes(shape):
        images, labels = torch.randn(*shape), torch.arange(shape[0]) % 10
        return lambda model: F.cross_entropy(model(images), labels)

    def mlp():
        return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))

    cnn = nn.Sequential(
        nn.Conv2d(1, 24, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(24, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(800, 128), nn.ReLU(), nn.Linear(128, 10),
    )

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            batch, length, width = x.shape
            parts = self.qkv(self.norm_1(x)).split(width, dim=2)
            q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in parts)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
            return x + self.mlp(self.norm_2(x))

    class GPT(nn.Module):
        def __init__(self, n_tokens, length, width, heads, n_blocks):
            super().__init__()
            self.tokens, self.places = nn.Embedding(n_tokens, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(n_blocks)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, n_tokens)

        def forward(self, text):
            x = self.tokens(text) + self.places(torch.arange(text.shape[1]))
            return self.head(self.norm(self.blocks(x)))

    text = (torch.arange(12 * 65) * 7 % 65).view(12, 65)

    def next_tokens(model):
        return F.cross_entropy(model(text[:, :-1]).reshape(-1, 65), text[:, 1:].reshape(-1))

    runs = [product(n) for n in (32, 64, 128, 256, 512, 1024)]
    runs += [
        chain,
        lambda: (torch.softmax(x, 1) * scale).sum(),
        walk(lambda x: torch.softmax(x, 1), [walked]),
        lambda: (norm(x) * scale).sum(),
        walk(norm, [walked, weight, bias]),
        adam_step,
        tape,
        step(mlp(), classes((1000, 784))),
        step(mlp(), classes((128, 784))),
        step(cnn, classes((250, 1, 28, 28))),
        step(GPT(65, 64, 128, 4, 4), next_tokens),
    ]
    return dict(zip(TARGETS, runs, strict=True))


def serve():
    """Round after round a line with the milliseconds and the value of each row, with one thread and with two by turns."""
    import torch

    runs = rows()
    for number in range(2 * (WARM_UP + ROUNDS)):
        torch.set_num_threads(1 + number % 2)
        told = {}
        for name, run in runs.items():
            began = time.perf_counter()
            value = run().item()
            told[name] = [(time.perf_counter() - began) * 1000, value]
        print(json.dumps(told), flush=True)
        # In this time the other program gets its turn.
        time.sleep(PAUSE)


class Side:
    """A program that runs this file, stopped but for its turns."""

    def __init__(self, command):
        self.program = subprocess.Popen([*command, __file__, "serve"], stdout=subprocess.PIPE, text=True)
        self.program.send_signal(signal.SIGSTOP)

    def round(self):
        self.program.send_signal(signal.SIGCONT)
        line = self.program.stdout.readline()
        self.program.send_signal(signal.SIGSTOP)
        if not line:
            sys.exit(f"`{' '.join(map(str, self.program.args))}` ended")
        return json.loads(line)

    def end(self):
        self.program.kill()
        self.program.wait()


def main(glow):
    if not importlib.util.find_spec("torch"):
        print(f"{sys.executable} has no PyTorch: name a Python that has it in the variable PYTHON", file=sys.stderr)
        print(json.dumps({"figures": [], "skipped": list(TARGETS)}))
        return
    ours, theirs = Side([glow, "python"]), Side([sys.executable])
    ratios = {}
    began = time.perf_counter()
    try:
        for number in range(-2 * WARM_UP, 2 * ROUNDS):
            threads = 1 + number % 2
            # What runs second finds another machine: they take turns.
            sides = (ours, theirs) if number // 2 % 2 else (theirs, ours)
            told = {side: side.round() for side in sides}
            for name in TARGETS:
                [our_millis, our_value], [their_millis, their_value] = told[ours][name], told[theirs][name]
                # Later the rounding of many steps tells their losses apart.
                if number < 0 and abs(our_value - their_value) > CLOSE * max(1.0, abs(their_value)):
                    sys.exit(f"{name}: {our_value} here and {their_value} under PyTorch")
                if number >= 0:
                    series = ratios.setdefault((name, threads), [])
                    series.append((their_millis / our_millis, our_millis, their_millis))
    finally:
        ours.end()
        theirs.end()
    seconds = (time.perf_counter() - began) / len(ratios)
    figures = []
    for (name, threads), series in ratios.items():
        ratio, our_millis, their_millis = (statistics.median(column) for column in zip(*series, strict=True))
        said = f"{name}, {threads} thread{'s' * (threads > 1)}: {our_millis:.3g} and {their_millis:.3g} ms"
        figures.append({"name": said, "value": ratio, "unit": "×", "seconds": seconds, "at_least": TARGETS[name]})
    print(json.dumps({"figures": figures, "skipped": []}))


if __name__ == "__main__":
    serve() if sys.argv[1] == "serve" else main(sys.argv[1])
