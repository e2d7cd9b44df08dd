import glowgrad as torch


def blocked(a, b, size):
    """a @ b, in blocks of size × size."""
    m, n = a.shape[0], b.shape[1]
    c = torch.zeros(m, n)
    for row in range(m // size):
        for column in range(n // size):
            i, j = row * size, column * size
            c[i : i + size, j : j + size] = a[i : i + size] @ b[:, j : j + size]
    return c
