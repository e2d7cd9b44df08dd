# must say: Rows far from 0 keep their digits.
import glowgrad as torch


def standardise(x):
    n = x.shape[1]
    total = x.sum(dim=1, keepdim=True)
    squares = (x * x).sum(dim=1, keepdim=True)
    variance = squares / n - (total / n) * (total / n)  # two large numbers, nearly equal
    return (x - total / n) / (variance + 1e-5).sqrt()
