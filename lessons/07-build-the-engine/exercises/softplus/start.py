import math


class Value:
    def __init__(self, data, prev=(), slopes=(), op=""):
        self.data, self.grad = data, 0.0
        self._prev, self._slopes, self._op = prev, slopes, op


def softplus(x):
    """log(1 + exp(x)) as one Value."""
    y = math.log(1 + math.exp(x.data))
    return Value(y)
