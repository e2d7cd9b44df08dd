# must say: The shapes differ: [2] and [2, 1].
import glowgrad as torch


def unbroadcast(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(dim=0)
    for dim, size in reversed(list(enumerate(shape))):
        if size == 1:
            gradient = gradient.sum(dim=dim)
    return gradient
