"""`Variable`: what a tensor with a gradient was called."""

from _glowgrad import TensorBase


class _VariableMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, TensorBase)


class Variable(metaclass=_VariableMeta):
    """A tensor, by its old name: `Variable(x, requires_grad=True)`.

    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    """

    def __new__(cls, data=None, requires_grad=False, volatile=None):
        if data is None:
            from glowgrad import empty

            return empty(0, requires_grad=requires_grad)
        if not isinstance(data, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)
