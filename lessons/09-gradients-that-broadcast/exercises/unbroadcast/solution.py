import glowgrad as torch


def unbroadcast(gradient, shape):
    """The gradient of a stretched tensor, for the tensor as it was."""
    while gradient.dim() > len(shape):
        gradient = gradient.sum(dim=0)  # a dimension that it never had
    for dim, size in enumerate(shape):
        if size == 1 and gradient.shape[dim] > 1:
            gradient = gradient.sum(dim=dim, keepdim=True)
    return gradient
