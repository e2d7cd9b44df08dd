def broadcast_shapes(a, b):
    """The shape that two shapes are broadcast to. ValueError if they do not fit."""
    return tuple(max(m, n) for m, n in zip(a, b))
