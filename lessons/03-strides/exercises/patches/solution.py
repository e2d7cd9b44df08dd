import glowgrad as torch


def patches(image, size):
    """Every size × size window of an image, as a view: [i, j] is the one with its corner at image[i, j]."""
    height, width = image.shape
    rows, columns = image.stride()
    return image.as_strided(
        (height - size + 1, width - size + 1, size, size),
        (rows, columns, rows, columns),
    )
