"""Trains a network to name small photographs: `glow python recipes/cifar10.py --data FOLDER --model resnet18`."""

import argparse
import gzip
import os
import time

import torch
import torch.nn.functional as F

from glowgrad import models

parser = argparse.ArgumentParser(description="Trains a network to name the photographs of CIFAR-10.")
parser.add_argument("--data", required=True, help="the folder with data_batch_*.bin and test_batch.bin, packed or not")
parser.add_argument("--model", choices=["resnet18", "mobilenet_v2", "vit"], default="resnet18")
parser.add_argument("--epochs", type=int, default=1)
parser.add_argument("--steps", type=int, help="ends an epoch after so many steps")
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--lr", type=float, help="the highest learning rate; 0.05, and 0.001 for the ViT")
parser.add_argument("--test", type=int, default=1000, help="how many test images are looked at")
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()

RECORD = 1 + 3 * 32 * 32
MEAN = torch.tensor([0.4914, 0.4822, 0.4465]).reshape(3, 1, 1)
SPREAD = torch.tensor([0.2470, 0.2435, 0.2616]).reshape(3, 1, 1)


def load(begin):
    """Images [N, 3, 32, 32] of bytes and labels [N] of the files whose names begin so."""
    names = sorted(name for name in os.listdir(options.data) if name.startswith(begin) and ".bin" in name)
    if not names:
        raise SystemExit(f"{options.data} has no file {begin}*.bin")
    parts = []
    for name in names:
        opener = gzip.open if name.endswith(".gz") else open
        with opener(os.path.join(options.data, name), "rb") as file:
            data = file.read()
        if len(data) % RECORD:
            raise SystemExit(f"{name}: {len(data)} bytes are no whole records of {RECORD} bytes")
        parts.append(torch.frombuffer(bytearray(data), dtype=torch.uint8).reshape(-1, RECORD))
    records = torch.cat(parts)
    return records[:, 1:].reshape(-1, 3, 32, 32), records[:, 0].long()


def prepared(images):
    return (images.float() / 255 - MEAN) / SPREAD


def augmented(images):
    """Half of the images mirrored, all moved by up to four pixels."""
    flips = torch.rand(len(images)) < 0.5
    images = torch.where(flips.reshape(-1, 1, 1, 1), images.flip(3), images)
    dy, dx = torch.randint(0, 9, (2,)).tolist()
    return F.pad(images, (4, 4, 4, 4))[:, :, dy:dy + 32, dx:dx + 32]


@torch.no_grad()
def accuracy(model, images, labels):
    model.eval()
    right = sum(
        (model(prepared(x)).argmax(1) == y).sum().item() for x, y in zip(images.split(100), labels.split(100))
    )
    model.train()
    return right / len(images)


torch.manual_seed(options.seed)
images, labels = load("data_batch")
test_images, test_labels = (each[:options.test] for each in load("test_batch"))
if options.model == "vit":
    model = models.ViT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr or 1e-3, weight_decay=0.05)
else:
    model = getattr(models, options.model)(10, "cifar")
    optimizer = torch.optim.SGD(
        model.parameters(), lr=options.lr or 0.05, momentum=0.9, weight_decay=5e-4, nesterov=True
    )
steps = len(images) // options.batch_size
if options.steps:
    steps = min(steps, options.steps)
scheduler = torch.optim.lr_scheduler.OneCycleLR(
    optimizer, max_lr=optimizer.param_groups[0]["lr"], total_steps=max(2, steps * options.epochs)
)
print(f"{options.model}: {sum(p.numel() for p in model.parameters())} parameters")
for epoch in range(options.epochs):
    began, total = time.perf_counter(), 0.0
    order = torch.randperm(len(images))
    for step in range(steps):
        batch = order[step * options.batch_size:(step + 1) * options.batch_size]
        loss = F.cross_entropy(model(augmented(prepared(images[batch]))), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
        if step % 10 == 9:
            print(f"step {step + 1} of {steps}: loss {loss.item():.4f}")
    print(
        f"epoch {epoch + 1}: loss {total / steps:.4f}, test accuracy "
        f"{100 * accuracy(model, test_images, test_labels):.1f} %, {time.perf_counter() - began:.0f} s"
    )
