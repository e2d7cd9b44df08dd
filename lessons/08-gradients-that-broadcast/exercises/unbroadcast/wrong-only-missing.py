# must say: The shapes differ: [2, 3] and [2, 1].
import glowgrad as torch


def unbroadcast(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(dim=0)
    return gradient
