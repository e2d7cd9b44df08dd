# must say: The first patch is the top left corner
import glowgrad as torch


def patches(image, size):
    # The inside is transposed.
    height, width = image.shape
    rows, columns = image.stride()
    return image.as_strided(
        (height - size + 1, width - size + 1, size, size),
        (rows, columns, columns, rows),
    )
