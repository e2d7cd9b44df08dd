"""`torch.nn.functional`: the ops whose `functional` is set, and what Python makes of ops."""

import _glowgrad as _C

for _name in _C._functional_ops:
    globals()[_name] = getattr(_C, _name)

from glowgrad.nn._functional import *  # after the ops that some of these functions wrap


def _activation(name):
    """An activation of the registry with PyTorch's `inplace`."""
    op = getattr(_C, name)

    def function(input, *args, inplace=False, **kwargs):
        if args and isinstance(args[-1], bool):
            inplace, args = args[-1], args[:-1]
        result = op(input, *args, **kwargs)
        return input.copy_(result) if inplace else result

    def in_place(input, *args, **kwargs):
        return input.copy_(op(input, *args, **kwargs))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.__doc__
    in_place.__name__ = in_place.__qualname__ = name + "_"
    globals()[name], globals()[name + "_"] = function, in_place


for _name in (
    "celu elu hardsigmoid hardswish hardtanh leaky_relu mish relu relu6 selu silu threshold"
).split():
    _activation(_name)


def __getattr__(name):
    if name == "multi_head_attention_forward":
        from glowgrad.nn.attention import multi_head_attention_forward

        globals()[name] = multi_head_attention_forward
        return multi_head_attention_forward
    import sys

    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__]
    )


def __dir__():
    return sorted({*globals(), "multi_head_attention_forward"})
