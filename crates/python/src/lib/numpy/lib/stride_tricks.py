"""Views of an array with other strides: `np.lib.stride_tricks`."""

from numpy._core import asarray, normal_axis, wrap
from numpy._shape import broadcast_arrays, broadcast_shapes, broadcast_to


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view with this shape and these steps in bytes.
    >>> np.lib.stride_tricks.as_strided(np.arange(4), (2, 2), (8, 8))"""
    x = asarray(x)
    shape = x.shape if shape is None else shape
    steps = x.strides if strides is None else strides
    shape = list(shape) if isinstance(shape, (list, tuple)) else [shape]
    steps = list(steps) if isinstance(steps, (list, tuple)) else [steps]
    return wrap(x._t.as_strided(shape, [step // x.itemsize for step in steps]))


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """All windows of a size along axes.
    >>> np.lib.stride_tricks.sliding_window_view(np.arange(4), 2)"""
    x = asarray(x)
    sizes = list(window_shape) if isinstance(window_shape, (list, tuple)) else [window_shape]
    axes = (
        list(range(x.ndim))
        if axis is None
        else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    )
    if len(sizes) != len(axes):
        raise ValueError(
            f"Since axis is None, must provide window_shape for all dimensions of `x`; got "
            f"{len(sizes)} window_shape elements and `x.ndim` is {x.ndim}."
        )
    shape, steps = list(x.shape), list(x._t._stride())
    for d, n in zip(axes, sizes):
        d = normal_axis(d, x.ndim)
        shape[d] -= n - 1
        if shape[d] < 0:
            raise ValueError("window shape cannot be larger than input array shape")
        shape.append(n)
        steps.append(steps[d])
    return wrap(x._t.as_strided(shape, steps))
