"""Trains a network to read the digits of MNIST: `glow python recipes/mnist.py --data FOLDER --model lenet`."""

import argparse
import time

import torch
import torch.nn.functional as F
from torchvision.datasets import MNIST

from glowgrad import models

parser = argparse.ArgumentParser(description="Trains a network to read the digits of MNIST.")
parser.add_argument("--data", required=True, help="the folder with MNIST's files")
parser.add_argument("--model", choices=["mlp", "lenet"], default="lenet")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--steps", type=int, help="ends an epoch after so many steps")
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()


def load(train):
    data = MNIST(options.data, train=train)
    images = data.data.unsqueeze(1).float() / 255
    # The mean and the spread of the training images.
    return (images - 0.1307) / 0.3081, data.targets


@torch.no_grad()
def accuracy(model, images, labels):
    model.eval()
    right = sum(
        (model(x).argmax(1) == y).sum().item() for x, y in zip(images.split(1000), labels.split(1000))
    )
    model.train()
    return right / len(images)


torch.manual_seed(options.seed)
images, labels = load(True)
test_images, test_labels = load(False)
model = models.LeNet() if options.model == "lenet" else models.MLP(784, 256, 10)
steps = len(images) // options.batch_size
if options.steps:
    steps = min(steps, options.steps)
optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
scheduler = torch.optim.lr_scheduler.OneCycleLR(
    optimizer, max_lr=options.lr, total_steps=steps * options.epochs
)
print(f"{options.model}: {sum(p.numel() for p in model.parameters())} parameters")
for epoch in range(options.epochs):
    began, total = time.perf_counter(), 0.0
    order = torch.randperm(len(images))
    for step in range(steps):
        batch = order[step * options.batch_size:(step + 1) * options.batch_size]
        loss = F.cross_entropy(model(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
    print(
        f"epoch {epoch + 1}: loss {total / steps:.4f}, test accuracy "
        f"{100 * accuracy(model, test_images, test_labels):.2f} %, {time.perf_counter() - began:.0f} s"
    )
