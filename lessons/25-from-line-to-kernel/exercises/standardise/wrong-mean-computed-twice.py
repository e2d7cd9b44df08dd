# must say: given x of shape [64, 32] got ['reduce', 'reduce', 'reduce', 'fused']
import glowgrad as torch


def standardise(x):
    mean = x.mean(dim=1, keepdim=True)
    variance = x.var(dim=1, keepdim=True, correction=0)  # it has a mean of its own
    return (x - mean) / (variance + 1e-5).sqrt()
