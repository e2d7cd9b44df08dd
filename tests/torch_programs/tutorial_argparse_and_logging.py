# A training script as it stands in repositories: arguments, a configuration, a log, checkpoints in memory.
import argparse
import copy
import dataclasses
import json
import logging
import math
import os
import sys
import time
from collections import defaultdict
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Optional

import torch
import torch.nn as nn


@dataclass
class Config:
    hidden: int = 16
    lr: float = 1e-2
    steps: int = 30
    betas: tuple = (0.9, 0.99)
    device: str = "cpu"
    extra: Dict[str, float] = field(default_factory=dict)

    @property
    def warm(self):
        return max(1, self.steps // 10)


def parse(words: Optional[list] = None):
    parser = argparse.ArgumentParser(description="Fits a wave", prog="fit")
    parser.add_argument("--hidden", type=int, default=16, help="units of the hidden layer (default: %(default)s)")
    parser.add_argument("--lr", "--learning-rate", type=float, default=1e-2, metavar="LR")
    parser.add_argument("--steps", "-n", type=int, default=30)
    parser.add_argument("--act", choices=["tanh", "relu", "gelu"], default="tanh")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 1])
    return parser, parser.parse_args(words)


class Meter:
    """A running mean."""

    def __init__(self):
        self.sum = self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


parser, args = parse(["--hidden", "12", "-n", "40", "--act", "gelu", "--sizes", "1", "2"])
print(args, vars(args)["lr"])
print(parser.format_usage().strip())
config = Config(hidden=args.hidden, steps=args.steps, extra={"noise": 0.05})
print(config, config.warm, json.dumps(dataclasses.asdict(config), sort_keys=True))
print(dataclasses.replace(config, lr=0.5).lr)
log = logging.getLogger("fit")
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
log.addHandler(handler)
log.setLevel(logging.WARNING if args.quiet else logging.INFO)
log.propagate = False

torch.manual_seed(1337)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.linspace(-3, 3, 64, device=device).unsqueeze(1)
y = torch.sin(x) * args.sizes[1] + config.extra["noise"] * torch.randn_like(x)
act = {"tanh": nn.Tanh, "relu": nn.ReLU, "gelu": nn.GELU}[args.act]
model = nn.Sequential(nn.Linear(1, config.hidden), act(), nn.Linear(config.hidden, 1)).to(device)
decay = [p for n, p in model.named_parameters() if p.dim() >= 2]
rest = [p for n, p in model.named_parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}],
    lr=config.lr, betas=config.betas,
)
log.info("%d parameters, of which %d decay", sum(map(torch.numel, model.parameters())), sum(p.numel() for p in decay))


def rate(step):
    if step < config.warm:
        return config.lr * (step + 1) / config.warm
    return config.lr * 0.5 * (1 + math.cos(math.pi * (step - config.warm) / (config.steps - config.warm)))


history, best, kept = defaultdict(list), float("inf"), None
start = time.perf_counter()
meter = Meter()
for step in range(config.steps):
    for group in optimizer.param_groups:
        group["lr"] = rate(step)
    with nullcontext():
        total = 0.0
        for part in range(2):
            loss = nn.functional.mse_loss(model(x[part::2]), y[part::2]) / 2
            loss.backward()
            total += loss.item()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    meter.update(total)
    history["loss"].append(round(total, 4))
    history["lr"].append(round(rate(step), 5))
    if total < best:
        best, kept = total, copy.deepcopy(model.state_dict())
    if step % 10 == 0:
        log.info(f"step {step:>3} loss {total:.4f} norm {norm:.3f} lr {rate(step):.2e}")
log.debug("not shown")
print(time.perf_counter() - start < 60, f"{meter.avg:.4f} {best:.4f}")
model.load_state_dict(kept)
with torch.no_grad():
    print(f"{nn.functional.mse_loss(model(x), y).item():.3f}")
out = Path("/tmp") / "glow_fit" / "history.json"
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text(json.dumps(history))
read = json.loads(out.read_text())
print(out.name, out.suffix, read["loss"][:2] == history["loss"][:2], len(read["lr"]), os.path.exists(out))
out.unlink()
print("{:<10}|{:>8}|{:^8}".format("layer", "shape", "mean"))
for name, p in model.named_parameters():
    print(f"{name:<10}|{str(tuple(p.shape)):>8}|{p.mean().item():^8.2f}")
