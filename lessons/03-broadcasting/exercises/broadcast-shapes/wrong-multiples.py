# must say: Sizes that differ, and neither is 1, raise a ValueError
def broadcast_shapes(a, b):
    # Lets 2 be stretched to 4, because it divides it.
    n_dims = max(len(a), len(b))
    a = (1,) * (n_dims - len(a)) + tuple(a)
    b = (1,) * (n_dims - len(b)) + tuple(b)
    shape = []
    for m, n in zip(a, b):
        if 0 in (m, n):
            shape.append(0)
        elif max(m, n) % min(m, n) == 0:
            shape.append(max(m, n))
        else:
            raise ValueError("do not fit")
    return tuple(shape)
