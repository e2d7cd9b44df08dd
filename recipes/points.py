"""Trains a network to make points of two half circles: `glow python recipes/points.py --model diffusion`."""

import argparse

import torch

from glowgrad import models
from glowgrad.datasets import make_moons

parser = argparse.ArgumentParser(description="Trains a network to make points of two half circles.")
parser.add_argument("--model", choices=["gan", "diffusion"], default="diffusion")
parser.add_argument("--steps", type=int, default=3000)
parser.add_argument("--batch-size", type=int, default=256)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()


def distance(points, real):
    """How far made points are from the nearest real one, in the mean, and real points from the nearest made one."""
    between = torch.cdist(points, real)
    return between.min(1).values.mean().item(), between.min(0).values.mean().item()


torch.manual_seed(options.seed)
real, _ = make_moons(4096, noise=0.05)
real = (real - real.mean(0)) / real.std(0)
if options.model == "gan":
    model = models.GAN()
    of_generator = torch.optim.Adam(model.generator.parameters(), 1e-3, betas=(0.5, 0.999))
    of_discriminator = torch.optim.Adam(model.discriminator.parameters(), 1e-3, betas=(0.5, 0.999))
else:
    model = models.Diffusion()
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for i in range(options.steps):
    batch = real[torch.randint(len(real), (options.batch_size,))]
    if options.model == "gan":
        d = step(of_discriminator, model.discriminator_loss(batch))
        g = step(of_generator, model.generator_loss(options.batch_size))
        said = f"discriminator {d:.3f}, generator {g:.3f}"
    else:
        said = f"loss {step(optimizer, model.loss(batch)):.4f}"
    if i % 500 == 499 or i + 1 == options.steps:
        with torch.no_grad():
            made, missed = distance(model.sample(1000), real[:1000])
        print(f"step {i + 1}: {said}; made points are {made:.3f} from real ones, real ones {missed:.3f} from made ones")
