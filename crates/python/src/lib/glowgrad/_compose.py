"""What functions that are made of other ops share: PyTorch's checks and names on the tape."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._place import _beside, _default


def _takes(*names):
    """A function whose first arguments, of these names, have to be tensors."""

    def decorate(function):
        own = function.__name__

        def checked(*args, **kwargs):
            for place, name in enumerate(names):
                if place < len(args):
                    value = args[place]
                elif name in kwargs:
                    value = kwargs[name]
                else:
                    missing = [each for each in names[place:] if each not in kwargs]
                    raise TypeError(
                        f"{own}() missing {len(missing)} required positional arguments: "
                        + ", ".join([f'"{each}"' for each in missing])
                    )
                if not isinstance(value, TensorBase):
                    raise TypeError(
                        f"{own}(): argument '{name}' (position {place + 1}) must be Tensor, not "
                        f"{type(value).__name__}"
                    )
            return _beside(function, args, kwargs)

        checked.__name__ = checked.__qualname__ = own
        checked.__doc__ = function.__doc__
        return checked

    return decorate


def _named(name, compose, *inputs):
    """The result of a composition of these tensors, under one name on the tape."""
    wanted = [x for x in inputs if x.requires_grad]
    if not wanted or not _C.is_grad_enabled():
        return compose(*inputs)
    # Views, so that what one input has to do with another, and its hooks, stay outside.
    views = [_C.quietly(lambda: x.view(x.shape)) if x.requires_grad else x for x in inputs]
    inside = [x for x in views if x.requires_grad]
    result = compose(*views)
    if not result.requires_grad:
        return result

    def backward(gradient):
        return _C.grad([result], inside, [gradient], True, _C.is_grad_enabled(), True, False)

    return _C.custom(name, backward, wanted, result)


def _ruled(name, value, rule, *inputs):
    """A function under its name on the tape: its value, and a rule that gives the gradients."""
    before = _C.set_grad_enabled(False)
    try:
        result = value(*inputs)
    finally:
        _C.set_grad_enabled(before)
    return _C.custom(name, rule, list(inputs), result)


def _not_implemented(name, result, *inputs):
    """A result whose gradient PyTorch does not know: asking for it raises."""

    def backward(gradient):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return _C.custom("NotImplemented", backward, list(inputs), result)


def _floating(x):
    """Numbers as floats: those of integers in the default dtype."""
    return x if x.dtype.is_floating_point else x.to(_default[0])


def _meet(a, b):
    """The dtype in which two tensors or numbers meet."""
    if isinstance(a, TensorBase) and isinstance(b, TensorBase) and a.dtype is b.dtype:
        return a.dtype

    def alike(x):
        if isinstance(x, TensorBase):
            return _C.full((1,) * min(x.ndim, 1), 0, x.dtype, False)
        return _C.full((), x, None, False) if x is a else x

    return _C.quietly(lambda: alike(a) + alike(b)).dtype
