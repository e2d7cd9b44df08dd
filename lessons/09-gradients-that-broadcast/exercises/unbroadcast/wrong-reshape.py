# must say: A dimension that the tensor did not have is summed away.
import glowgrad as torch


def unbroadcast(gradient, shape):
    return gradient.reshape(shape)
