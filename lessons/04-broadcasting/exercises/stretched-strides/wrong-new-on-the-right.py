# must say: A new dimension on the left gets a 0
def stretched_strides(shape, strides, target):
    strides = tuple(0 if size == 1 else stride for size, stride in zip(shape, strides))
    return strides + (0,) * (len(target) - len(shape))
