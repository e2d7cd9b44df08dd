import glowgrad as torch


def product(a, b):
    """a @ b, as a sum of outer products."""
    m, n = a.shape[0], b.shape[1]
    c = torch.zeros(m, n)
    for i in range(m):
        for j in range(n):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c
