import math


def softplus(x):
    """log(1 + exp(x)) as one Value."""
    y = math.log(1 + math.exp(x.data))
    return Value(y)
