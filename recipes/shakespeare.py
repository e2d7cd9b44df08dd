"""Trains a network to write character by character: `glow python recipes/shakespeare.py --data input.txt`.

Sizes and schedule of the GPT are those of nanoGPT for a CPU: 2,000 steps come to a validation loss of about 1.88.
"""

import argparse
import math
import time

import torch
from torch import nn

from glowgrad import models
from glowgrad.text import CharTokenizer

parser = argparse.ArgumentParser(description="Trains a network to write character by character.")
parser.add_argument("--data", required=True, help="a text file")
parser.add_argument("--model", choices=["gpt", "lstm", "gru", "rnn"], default="gpt")
parser.add_argument("--steps", type=int, default=2000)
parser.add_argument("--batch-size", type=int, default=12)
parser.add_argument("--length", type=int, default=64, help="how many characters the network sees")
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--warmup", type=int, default=100)
parser.add_argument("--eval-every", type=int, default=250)
parser.add_argument("--write", type=int, default=300, help="how many characters it writes in the end")
parser.add_argument("--seed", type=int, default=1337)
options = parser.parse_args()

with open(options.data, encoding="utf-8") as file:
    text = file.read()
tokenizer = CharTokenizer(text)
data = torch.tensor(tokenizer.encode(text))
cut = int(0.9 * len(data))
parts = {"train": data[:cut], "val": data[cut:]}

torch.manual_seed(options.seed)
if options.model == "gpt":
    model = models.GPT(vocab_size=tokenizer.vocab_size, block_size=options.length)
else:
    model = models.CharRNN(tokenizer.vocab_size, kind=options.model.upper())


def batch(part):
    """Characters [batch, length] of random places, and those that follow each."""
    data = parts[part]
    starts = torch.randint(len(data) - options.length, (options.batch_size,))
    places = starts.unsqueeze(1) + torch.arange(options.length + 1)
    window = data[places]
    return window[:, :-1], window[:, 1:]


def loss_of(x, y):
    return model(x, y)[1] if options.model == "gpt" else model.loss(x, y)


@torch.no_grad()
def estimate(part, batches=20):
    model.eval()
    mean = sum(loss_of(*batch(part)).item() for _ in range(batches)) / batches
    model.train()
    return mean


def rate(step):
    """Up in a line, then down along a cosine to a tenth."""
    if step < options.warmup:
        return options.lr * (step + 1) / (options.warmup + 1)
    along = min(1.0, (step - options.warmup) / max(1, options.steps - options.warmup))
    return options.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * along)))


# Weights of products shrink a little with every step; biases and gains do not.
matrices = [p for p in model.parameters() if p.dim() >= 2]
others = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW(
    [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
    lr=options.lr, betas=(0.9, 0.99),
)
print(f"{options.model}: {sum(p.numel() for p in model.parameters())} parameters, {tokenizer.vocab_size} characters")
began = time.perf_counter()
for step in range(options.steps + 1):
    if step % options.eval_every == 0 or step == options.steps:
        print(
            f"step {step}: train {estimate('train'):.4f}, val {estimate('val'):.4f}, "
            f"{time.perf_counter() - began:.0f} s"
        )
    if step == options.steps:
        break
    for group in optimizer.param_groups:
        group["lr"] = rate(step)
    loss = loss_of(*batch("train"))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

if options.write:
    start = torch.tensor([[tokenizer.encode("\n")[0] if "\n" in tokenizer.characters else 0]])
    print(tokenizer.decode(model.eval().generate(start, options.write, temperature=0.8, top_k=200)[0]))
