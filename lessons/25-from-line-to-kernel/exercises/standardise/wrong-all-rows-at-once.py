# must say: given x = [[1, 3], [60, 20]]
import glowgrad as torch


def standardise(x):
    total = x.sum()
    centred = x - total / x.numel()
    variance = (centred * centred).mean()
    return (x - total / x.numel()) / (variance + 1e-5).sqrt()
