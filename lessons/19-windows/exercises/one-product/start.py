import glowgrad as torch
import glowgrad.nn.functional as F


def convolve(image, filters, stride=1, padding=0):
    n_filters, channels, k, _ = filters.shape
    windows = image.unfold(1, k, 1).unfold(2, k, 1)
    # [C, rows, columns, k, k]. Make the matrix, then one product.
    return windows
