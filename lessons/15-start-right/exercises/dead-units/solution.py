import glowgrad as torch
import glowgrad.nn as nn


def dead_shares(model, x):
    shares = []
    with torch.no_grad():
        for layer in model:
            x = layer(x)
            if isinstance(layer, nn.ReLU):
                is_dead = (x == 0).all(0)
                shares.append(is_dead.float().mean().item())
    return shares
