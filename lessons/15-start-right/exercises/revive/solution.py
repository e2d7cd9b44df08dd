import glowgrad as torch
import glowgrad.nn as nn


def revive(model, x):
    with torch.no_grad():
        for layer, after in zip(model, list(model)[1:] + [None]):
            if isinstance(layer, nn.Linear) and isinstance(after, nn.ReLU):
                is_dead = layer(x).amax(0) <= 0
                n_dead, n_in = int(is_dead.sum()), layer.in_features
                layer.weight[is_dead] = torch.randn(n_dead, n_in) * (2 / n_in) ** 0.5
                layer.bias[is_dead] = 0
                layer.bias[is_dead] = -layer(x).mean(0)[is_dead]
            x = layer(x)
