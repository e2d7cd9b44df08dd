# must say: A missing size on the left counts as 1
def broadcast_shapes(a, b):
    n_dims = max(len(a), len(b))
    a = tuple(a) + (1,) * (n_dims - len(a))
    b = tuple(b) + (1,) * (n_dims - len(b))
    shape = []
    for m, n in zip(a, b):
        if m != n and 1 not in (m, n):
            raise ValueError("do not fit")
        shape.append(n if m == 1 else m)
    return tuple(shape)
