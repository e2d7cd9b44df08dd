# must say: image = table.T
import glowgrad as torch


def patches(image, size):
    # The width is the row stride of a contiguous image only.
    height, width = image.shape
    return image.as_strided(
        (height - size + 1, width - size + 1, size, size),
        (width, 1, width, 1),
    )
