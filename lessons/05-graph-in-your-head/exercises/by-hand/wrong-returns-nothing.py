# must say: TypeError
import glowgrad as torch


def grads_by_hand(a, b):
    grad_a = b + 1
    grad_b = a
