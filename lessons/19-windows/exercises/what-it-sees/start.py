def stack(n, layers):
    """The size of the last map, and how many pixels wide one number of it sees."""
    size, field = n, 1
    for kernel, stride, padding in layers:
        size = size - kernel + 1
        field = kernel
    return size, field
