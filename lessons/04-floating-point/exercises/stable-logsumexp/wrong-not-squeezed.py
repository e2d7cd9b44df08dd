# must say: The shapes differ: [1] and []
import glowgrad as torch


def logsumexp(x):
    # [n] and [n, 1] make a table.
    m = x.max(dim=-1, keepdim=True).values
    return (x - m).exp().sum(dim=-1).log() + m
