"""Ways to fill a parameter before training, with PyTorch's numbers under a seed."""

import math

import _glowgrad as _C


def _fans(tensor):
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = 1
    for size in tensor.shape[2:]:
        field *= size
    return tensor.shape[1] * field, tensor.shape[0] * field


def calculate_gain(nonlinearity, param=None):
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    return 1


def _off_tape(fill):
    grad = _C.set_grad_enabled(False)
    try:
        return fill()
    finally:
        _C.set_grad_enabled(grad)


def uniform_(tensor, a=0.0, b=1.0):
    return _off_tape(lambda: tensor.uniform_(a, b))


def normal_(tensor, mean=0.0, std=1.0):
    return _off_tape(lambda: tensor.normal_(mean, std))


def constant_(tensor, val):
    return _off_tape(lambda: tensor.fill_(val))


def zeros_(tensor):
    return constant_(tensor, 0.0)


def ones_(tensor):
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor, gain=1.0):
    fan_in, fan_out = _fans(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor, gain=1.0):
    fan_in, fan_out = _fans(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)))


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan = _fans(tensor)[0 if mode == "fan_in" else 1]
    if fan == 0:
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(fan))
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    fan = _fans(tensor)[0 if mode == "fan_in" else 1]
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(fan))
