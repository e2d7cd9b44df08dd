# must say: A layer is judged by what the mended layers before it give. given a second layer that lives as soon as the first does
import glowgrad as torch
import glowgrad.nn as nn


def revive(model, x):
    with torch.no_grad():
        inputs, h = [], x
        for layer in model:
            inputs.append(h)
            h = layer(h)
        for layer, after, h in zip(model, list(model)[1:] + [None], inputs):
            if isinstance(layer, nn.Linear) and isinstance(after, nn.ReLU):
                is_dead = layer(h).amax(0) <= 0
                n_dead, n_in = int(is_dead.sum()), layer.in_features
                layer.weight[is_dead] = torch.randn(n_dead, n_in) * (2 / n_in) ** 0.5
                layer.bias[is_dead] = 0
                layer.bias[is_dead] = -layer(h).mean(0)[is_dead]
