# must say: The very first element takes the first four bytes
import glowgrad as torch


def byte_range(x, i, j):
    # The last byte, not the first one after it.
    first = (x.storage_offset() + i * x.shape[1] + j) * x.element_size()
    return first, first + x.element_size() - 1
