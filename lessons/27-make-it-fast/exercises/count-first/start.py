def product_cost(m, k, n):
    """Operations and bytes of an m × k matrix times a k × n matrix."""
    return m * k * n, 4 * (m * k + k * n)


def add_cost(n):
    """Operations and bytes of x + y, for two tensors of n numbers."""
    return n, 4 * n


def roof(operations, moved, peak, bandwidth):
    """The best rate that the roofline allows, in GFLOP/s."""
    return operations / moved * bandwidth
