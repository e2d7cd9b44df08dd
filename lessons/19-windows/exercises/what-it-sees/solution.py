def stack(n, layers):
    """The size of the last map, and how many pixels wide one number of it sees."""
    size, field, distance = n, 1, 1
    for kernel, stride, padding in layers:
        size = (size - kernel + 2 * padding) // stride + 1
        field += (kernel - 1) * distance
        distance *= stride
    return size, field
