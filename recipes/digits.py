"""Trains a network to draw digits from few numbers: `glow python recipes/digits.py --model vae`."""

import argparse

import torch

from glowgrad import models
from glowgrad.datasets import load_digits

parser = argparse.ArgumentParser(description="Trains a network to draw digits from few numbers.")
parser.add_argument("--model", choices=["autoencoder", "vae"], default="autoencoder")
parser.add_argument("--epochs", type=int, default=30)
parser.add_argument("--code", type=int, default=8, help="how many numbers stand for an image")
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()

torch.manual_seed(options.seed)
images, _ = load_digits()
images = images / 16
if options.model == "vae":
    model = models.VAE(64, 128, options.code)
else:
    model = models.Autoencoder(64, 128, options.code)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(options.epochs):
    total = 0.0
    for batch in torch.randperm(len(images)).split(options.batch_size):
        loss = model.loss(images[batch])
        if options.model == "vae":
            loss = loss / len(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(batch)
    if epoch % 5 == 4 or epoch + 1 == options.epochs:
        print(f"epoch {epoch + 1}: loss {total / len(images):.4f}")

with torch.no_grad():
    drawing = model(images[:1])
drawing = drawing[0] if isinstance(drawing, tuple) else drawing
for row in drawing.reshape(8, 8).tolist():
    print("".join(" .:-=+*#%@"[min(9, int(10 * value))] * 2 for value in row))
