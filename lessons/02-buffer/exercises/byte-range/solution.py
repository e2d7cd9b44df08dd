import glowgrad as torch


def byte_range(x, i, j):
    """The first byte of x[i, j] in its storage, and the first byte after it."""
    place = x.storage_offset() + i * x.shape[1] + j
    first = place * x.element_size()
    return first, first + x.element_size()
