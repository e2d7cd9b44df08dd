# must say: OverflowError
import math


class Value:
    def __init__(self, data, prev=(), slopes=(), op=""):
        self.data, self.grad = data, 0.0
        self._prev, self._slopes, self._op = prev, slopes, op


def softplus(x):
    e = math.exp(x.data)
    return Value(math.log(1 + e), (x,), (e / (1 + e),), "softplus")
