import glowgrad as torch


def byte_range(x, i, j):
    """The first byte of x[i, j] in its storage, and the first byte after it."""
    first = i * x.shape[1] + j
    return first, first + 1
