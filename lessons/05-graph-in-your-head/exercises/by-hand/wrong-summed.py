# must say: The shapes differ: [] and [1]
import glowgrad as torch


def grads_by_hand(a, b):
    return (b + 1).sum(), a.sum()
