# must say: float64
import glowgrad as torch


def byte_range(x, i, j):
    first = 4 * (x.storage_offset() + i * x.shape[1] + j)
    return first, first + 4
