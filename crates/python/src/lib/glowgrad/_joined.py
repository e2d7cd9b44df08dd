"""Several tensors as the results of one node of the tape."""

import _glowgrad as _C


def joined(name, inputs, values, backward):
    """Results with these values and one gradient rule: `backward` gets the gradient of every
    result, None where none came, and gives one for each input."""
    if len(values) == 1:
        return [_C.custom(name, lambda gradient: backward((gradient,)), inputs, values[0])]
    # A tensor stands between: each result leaves its gradient and sends a 0 there, whose own turn
    # comes when all have.
    came = [None] * len(values)
    zero = _C.quietly(lambda: values[0].new_zeros((), dtype=_C.float32))

    def gather(_):
        gradients = tuple(came)
        came[:] = [None] * len(values)
        return backward(gradients)

    between = _C.custom(name, gather, inputs, zero)

    def result(index, value):
        def leave(gradient):
            came[index] = gradient
            return zero

        return _C.custom(name, leave, [between], value)

    return [result(index, value) for index, value in enumerate(values)]
