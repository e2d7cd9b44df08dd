# must say: The tensor you were given is as it was
import glowgrad as torch


def softmax(x):
    x -= x.max(dim=-1, keepdim=True).values
    terms = x.exp()
    return terms / terms.sum(dim=-1, keepdim=True)
