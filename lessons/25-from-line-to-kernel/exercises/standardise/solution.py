import glowgrad as torch


def standardise(x):
    """Each row with mean 0 and variance 1."""
    n = x.shape[1]
    total = x.sum(dim=1, keepdim=True)
    centred = x - total / n
    variance = (centred * centred).mean(dim=1, keepdim=True)
    return (x - total / n) / (variance + 1e-5).sqrt()  # subtracted again, not stored
