# must say: One step to the right moves the window by one column
import glowgrad as torch


def patches(image, size):
    # The windows do not overlap.
    height, width = image.shape
    rows, columns = image.stride()
    return image.as_strided(
        (height // size, width // size, size, size),
        (size * rows, size * columns, rows, columns),
    )
