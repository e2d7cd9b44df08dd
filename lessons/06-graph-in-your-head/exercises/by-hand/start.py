import glowgrad as torch


def grads_by_hand(a, b):
    # total = (a * b + a).sum()
    grad_a = torch.ones_like(a)
    grad_b = torch.ones_like(b)
    return grad_a, grad_b
