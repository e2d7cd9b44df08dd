import glowgrad as torch
import glowgrad.nn as nn


def revive(model, x):
    with torch.no_grad():
        for layer, after in zip(model, list(model)[1:] + [None]):
            if isinstance(layer, nn.Linear) and isinstance(after, nn.ReLU):
                pass  # Mend the units of this layer that are dead.
            x = layer(x)
