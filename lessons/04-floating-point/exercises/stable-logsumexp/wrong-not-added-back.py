# must say: A single score is its own logsumexp
import glowgrad as torch


def logsumexp(x):
    m = x.max(dim=-1, keepdim=True).values
    return (x - m).exp().sum(dim=-1).log()
