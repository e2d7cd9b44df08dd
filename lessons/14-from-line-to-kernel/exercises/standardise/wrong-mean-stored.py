# must say: given x of shape [64, 32] got ['reduce', 'fused', 'reduce', 'fused']
import glowgrad as torch


def standardise(x):
    mean = x.mean(dim=1, keepdim=True)  # its division has two readers
    centred = x - mean
    variance = (centred * centred).mean(dim=1, keepdim=True)
    return (x - mean) / (variance + 1e-5).sqrt()
