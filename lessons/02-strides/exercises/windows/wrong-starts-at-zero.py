# must say: a column of a matrix
import glowgrad as torch


def windows(x, size):
    # The third argument counts from the start of the storage, not of x.
    step = x.stride(0)
    return x.as_strided((len(x) - size + 1, size), (step, step), 0)
