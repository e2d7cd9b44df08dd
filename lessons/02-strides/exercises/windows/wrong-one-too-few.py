# must say: The last window ends where x ends
import glowgrad as torch


def windows(x, size):
    step = x.stride(0)
    return x.as_strided((len(x) - size, size), (step, step))
