# must say: Each row gets the mean 0 and the variance 1.
import glowgrad as torch


def standardise(x):
    n = x.shape[1]
    total = x.sum(dim=1, keepdim=True)
    variance = x.var(dim=1, keepdim=True)
    return (x - total / n) / (variance + 1e-5).sqrt()
