# must say: The strides are your own
import glowgrad as torch


def windows(x, size):
    return x.unfold(0, size, 1)
