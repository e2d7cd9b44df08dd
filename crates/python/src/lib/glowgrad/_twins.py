"""In-place methods of tensors as functions: `torch.exp_(x)` is `x.exp_()`."""

from glowgrad._compose import _takes
from glowgrad._contents import _FUNCTIONS
from glowgrad._tensor import Tensor


def _twin(name):
    def function(input, *args, **kwargs):
        return getattr(input, name)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(Tensor, name).__doc__
    return _takes("input")(function)


for _name in _FUNCTIONS["_twins"].split():
    if hasattr(Tensor, _name):
        globals()[_name] = _twin(_name)
del _name
