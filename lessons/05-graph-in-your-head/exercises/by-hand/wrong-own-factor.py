# must say: With one number each, the gradient at b is right. given a = [2], b = [5] got tensor([5]) expected tensor([2])
import glowgrad as torch


def grads_by_hand(a, b):
    return a + 1, b  # each its own factor, where the other one belongs
