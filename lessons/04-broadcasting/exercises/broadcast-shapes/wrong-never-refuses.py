# must say: Sizes that differ, and neither is 1, raise a ValueError
def broadcast_shapes(a, b):
    n_dims = max(len(a), len(b))
    a = (1,) * (n_dims - len(a)) + tuple(a)
    b = (1,) * (n_dims - len(b)) + tuple(b)
    return tuple(n if m == 1 else m for m, n in zip(a, b))
