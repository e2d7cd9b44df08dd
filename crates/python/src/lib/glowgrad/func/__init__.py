"""`torch.func`: functions made of functions: gradients, derivatives, the same for a batch."""

from glowgrad.func._modules import (
    functional_call, replace_all_batch_norm_modules_, stack_module_state,
)
from glowgrad.func._transforms import (
    functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp,
)
from glowgrad.func._rearranging import rearrange
from glowgrad.func._vmap import vmap

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian",
    "jacfwd", "jacrev", "jvp", "linearize", "rearrange", "replace_all_batch_norm_modules_",
    "stack_module_state", "vjp", "vmap",
]


def debug_unwrap(tensor, *, recurse=True):
    """The tensor that a transform wraps: itself, since no tensor is wrapped.

    >>> torch.func.debug_unwrap(torch.ones(2))
    """
    return tensor
