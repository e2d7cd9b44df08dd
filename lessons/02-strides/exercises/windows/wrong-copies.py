# must say: A view: it reads the bytes of x
import glowgrad as torch


def windows(x, size):
    return torch.stack([x[i : i + size] for i in range(len(x) - size + 1)])
