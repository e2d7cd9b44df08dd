# must say: A dimension that the tensor did not have is summed away.
import glowgrad as torch


def unbroadcast(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.mean(dim=0)
    for dim, size in enumerate(shape):
        if size == 1:
            gradient = gradient.mean(dim=dim, keepdim=True)
    return gradient
