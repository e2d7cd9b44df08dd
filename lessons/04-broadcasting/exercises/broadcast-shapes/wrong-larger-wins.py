# must say: (0,)
def broadcast_shapes(a, b):
    n_dims = max(len(a), len(b))
    a = (1,) * (n_dims - len(a)) + tuple(a)
    b = (1,) * (n_dims - len(b)) + tuple(b)
    for m, n in zip(a, b):
        if m != n and 1 not in (m, n):
            raise ValueError("do not fit")
    return tuple(max(m, n) for m, n in zip(a, b))
