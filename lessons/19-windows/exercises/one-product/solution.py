import glowgrad as torch
import glowgrad.nn.functional as F


def convolve(image, filters, stride=1, padding=0):
    n_filters, channels, k, _ = filters.shape
    padded = F.pad(image, (padding, padding, padding, padding))
    windows = padded.unfold(1, k, stride).unfold(2, k, stride)
    rows, columns = windows.shape[1:3]
    matrix = windows.permute(1, 2, 0, 3, 4).reshape(rows * columns, channels * k * k)
    product = matrix @ filters.reshape(n_filters, -1).T
    return product.T.reshape(n_filters, rows, columns)
