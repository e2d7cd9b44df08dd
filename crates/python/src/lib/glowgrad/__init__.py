"""glowgrad: tensors and autograd you can watch, with PyTorch's names.

`import glowgrad as torch` and go on as in PyTorch.
"""

from _glowgrad import *  # every op of the registry, and the ways to make a tensor
import _glowgrad as _C
from _glowgrad import Tensor, Size, dtype

from . import autograd, datasets, lab, nn, optim, utils
from .autograd import enable_grad, no_grad, set_grad_enabled

is_grad_enabled = _C.is_grad_enabled
inference_mode = no_grad


def is_tensor(value):
    """Whether a value is a tensor."""
    return isinstance(value, Tensor)


def numel(input):
    """The number of elements."""
    return input.numel()
