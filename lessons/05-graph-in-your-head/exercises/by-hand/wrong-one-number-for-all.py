# must say: The shapes differ: [1] and [2, 3].
import glowgrad as torch


def grads_by_hand(a, b):
    return torch.tensor([b.sum().item() + 1]), torch.tensor([a.sum().item()])
