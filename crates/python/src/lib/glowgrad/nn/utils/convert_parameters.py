"""All parameters as one vector, and back."""

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad.nn.module import _typename

__all__ = ("parameters_to_vector", "vector_to_parameters")


def parameters_to_vector(parameters):
    """The elements of all parameters, one after another.

    >>> torch.nn.utils.parameters_to_vector([torch.ones(2, 2), torch.zeros(1)])
    """
    return _C.cat([parameter.view(-1) for parameter in parameters], 0)


def vector_to_parameters(vec, parameters):
    """Writes the elements of a vector into parameters, one after another.

    >>> layer = nn.Linear(2, 1)
    >>> torch.nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), layer.parameters())
    >>> layer.bias
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {_typename(vec)}")
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end
