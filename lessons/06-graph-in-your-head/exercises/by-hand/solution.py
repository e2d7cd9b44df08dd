import glowgrad as torch


def grads_by_hand(a, b):
    # total = (a * b + a).sum()
    grad_a = b + 1  # two paths: through the product, and straight
    grad_b = a
    return grad_a, grad_b
