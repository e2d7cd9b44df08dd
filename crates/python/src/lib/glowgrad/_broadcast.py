"""The shape in which tensors meet."""

from glowgrad._place import Size


def broadcast_tensors(*tensors):
    """The tensors as views of the shape in which all meet.

    >>> a, b = torch.broadcast_tensors(torch.ones(3), torch.ones(2, 1))
    >>> a.shape
    """
    shape = broadcast_shapes(*[x.shape for x in tensors])
    return tuple([x.expand(shape) for x in tensors])


def broadcast_shapes(*shapes):
    """The shape in which tensors of these shapes meet.

    >>> torch.broadcast_shapes((3, 1), (4,))
    """
    n = max([len(shape) for shape in shapes], default=0)
    met = [1] * n
    for shape in shapes:
        for d, size in enumerate(shape, n - len(shape)):
            if size != 1 and met[d] not in (1, size):
                raise RuntimeError(
                    "Shape mismatch: objects cannot be broadcast to a single shape: "
                    f"got {', '.join(map(str, shapes))}"
                )
            met[d] = size if size != 1 else met[d]
    return Size(met)
