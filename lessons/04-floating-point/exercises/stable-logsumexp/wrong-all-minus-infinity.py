# must say: nothing is possible
import glowgrad as torch


def logsumexp(x):
    m = x.max(dim=-1, keepdim=True).values
    return (x - m).exp().sum(dim=-1).log() + m.squeeze(-1)
