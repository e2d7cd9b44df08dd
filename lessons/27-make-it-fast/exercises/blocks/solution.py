import glowgrad as torch


def blocked(a, b, size):
    """a @ b, in blocks of size × size."""
    m, n = a.shape[0], b.shape[1]
    c = torch.zeros(m, n)
    for i in range(0, m, size):
        for j in range(0, n, size):
            block = 0
            for p in range(0, a.shape[1], size):
                block = block + a[i : i + size, p : p + size] @ b[p : p + size, j : j + size]
            c[i : i + size, j : j + size] = block
    return c
