import glowgrad as torch
import glowgrad.nn.functional as F


def gradients(x, E, b, target):
    n, words = len(x), len(E)
    h = torch.tanh(x @ E)
    logits = h @ E.T + b
    # back
    return torch.zeros_like(E), torch.zeros_like(b)
