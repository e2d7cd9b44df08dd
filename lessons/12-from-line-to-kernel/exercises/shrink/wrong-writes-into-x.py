# must say: The tensor you were given is as it was
import glowgrad as torch


def shrink(x, limit):
    x -= x.clamp(-limit, limit)
    return x
