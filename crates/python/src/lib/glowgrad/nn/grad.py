"""`torch.nn.grad`: the gradients of convolutions, as functions."""

import _glowgrad as _C
from glowgrad.autograd import enable_grad, grad
from glowgrad.nn import functional as F


def _gradient(n, input, weight, wanted, grad_output, stride, padding, dilation, groups):
    """The gradient by input (0) or weight (1); of the one that is wanted, the size is enough."""
    both = [input, weight]
    with enable_grad(), grad_output.device:
        if not isinstance(both[wanted], _C.TensorBase):
            both[wanted] = _C.full(tuple(both[wanted]), 0.0, grad_output.dtype, False, "zeros")
        both[wanted] = both[wanted].detach().requires_grad_()
        y = getattr(F, f"conv{n}d")(*both, None, stride, padding, dilation, groups)
    return grad(y, both[wanted], grad_output)[0]


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv1d` by its input.

    >>> nn.grad.conv1d_input((1, 1, 3), torch.ones(1, 1, 2), torch.ones(1, 1, 2))
    """
    return _gradient(1, input_size, weight, 0, grad_output, stride, padding, dilation, groups)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv1d` by its weight.

    >>> nn.grad.conv1d_weight(torch.ones(1, 1, 3), (1, 1, 2), torch.ones(1, 1, 2))
    """
    return _gradient(1, input, weight_size, 1, grad_output, stride, padding, dilation, groups)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv2d` by its input.

    >>> nn.grad.conv2d_input((1, 1, 2, 2), torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 1))
    """
    return _gradient(2, input_size, weight, 0, grad_output, stride, padding, dilation, groups)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv2d` by its weight.

    >>> nn.grad.conv2d_weight(torch.ones(1, 1, 2, 2), (1, 1, 2, 2), torch.ones(1, 1, 1, 1))
    """
    return _gradient(2, input, weight_size, 1, grad_output, stride, padding, dilation, groups)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv3d` by its input.

    >>> ones = torch.ones(1, 1, 1, 1, 1)
    >>> nn.grad.conv3d_input((1, 1, 2, 1, 1), torch.ones(1, 1, 2, 1, 1), ones).shape
    """
    return _gradient(3, input_size, weight, 0, grad_output, stride, padding, dilation, groups)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv3d` by its weight.

    >>> ones = torch.ones(1, 1, 1, 1, 1)
    >>> nn.grad.conv3d_weight(torch.ones(1, 1, 2, 1, 1), (1, 1, 2, 1, 1), ones).shape
    """
    return _gradient(3, input, weight_size, 1, grad_output, stride, padding, dilation, groups)
