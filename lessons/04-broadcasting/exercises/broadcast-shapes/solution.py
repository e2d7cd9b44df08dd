def broadcast_shapes(a, b):
    """The shape that two shapes are broadcast to. ValueError if they do not fit."""
    n_dims = max(len(a), len(b))
    a = (1,) * (n_dims - len(a)) + tuple(a)
    b = (1,) * (n_dims - len(b)) + tuple(b)
    shape = []
    for m, n in zip(a, b):
        if m == 1:
            shape.append(n)
        elif n == 1 or m == n:
            shape.append(m)
        else:
            raise ValueError(f"sizes {m} and {n} do not fit, and neither is 1")
    return tuple(shape)
