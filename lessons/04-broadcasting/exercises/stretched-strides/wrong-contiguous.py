# must say: A dimension that keeps its size keeps its stride
def stretched_strides(shape, strides, target):
    # Works out strides from the shape, and does not look at those it was given.
    result, step = [], 1
    shape = (1,) * (len(target) - len(shape)) + tuple(shape)
    for size in reversed(shape):
        result.append(0 if size == 1 else step)
        step *= size
    return tuple(reversed(result))
