# must say: At 0 the curve rises by one half.
import math


class Value:
    def __init__(self, data, prev=(), slopes=(), op=""):
        self.data, self.grad = data, 0.0
        self._prev, self._slopes, self._op = prev, slopes, op


def softplus(x):
    y = max(x.data, 0.0) + math.log1p(math.exp(-abs(x.data)))
    return Value(y, (x,), (1.0 if x.data >= 0 else 0.0,), "softplus")
