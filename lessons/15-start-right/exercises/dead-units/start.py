import glowgrad as torch
import glowgrad.nn as nn


def dead_shares(model, x):
    shares = []
    with torch.no_grad():
        for layer in model:
            x = layer(x)
            # If this was a ReLU: which units are 0 for every example?
    return shares
