import math


def softplus(x):
    """log(1 + exp(x)) as one Value."""
    small = math.exp(-abs(x.data))  # never larger than 1
    y = max(x.data, 0.0) + math.log1p(small)
    slope = (1.0 if x.data >= 0 else small) / (1 + small)
    return Value(y, (x,), (slope,), "softplus")
