import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F


def training_step(model, optimizer, images, labels):
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
