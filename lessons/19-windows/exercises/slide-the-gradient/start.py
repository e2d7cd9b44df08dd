import glowgrad as torch
import glowgrad.nn.functional as F


def filter_gradient(x, gy):
    n, height, width = x.shape
    n, rows, columns = gy.shape
    gradient = torch.zeros(height - rows + 1, width - columns + 1)
    # Which numbers of x did the weight [a, b] meet, and where?
    return gradient
