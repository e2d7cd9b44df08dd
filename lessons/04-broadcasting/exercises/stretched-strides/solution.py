def stretched_strides(shape, strides, target):
    """The strides that read a tensor of this shape and these strides as if it had the shape target."""
    n_new = len(target) - len(shape)
    shape = (1,) * n_new + tuple(shape)
    strides = (0,) * n_new + tuple(strides)
    return tuple(
        stride if size == wanted else 0 for size, stride, wanted in zip(shape, strides, target)
    )
