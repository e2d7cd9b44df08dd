"""What several distributions need: broadcasting, probabilities and logits, lazy properties."""

from functools import update_wrapper

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad.autograd.grad_mode import enable_grad

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits",
    "tril_matrix_to_vec", "vec_to_tril_matrix",
]

euler_constant = 0.57721566490153286060
_Number = (int, float, bool)


def _fits(x, shape):
    """The tensor itself where it has this shape, else expanded to it."""
    return x if x.shape == shape else x.expand(shape)


def broadcast_all(*values):
    """Numbers and tensors as tensors of one shape; numbers take the dtype of the first tensor.

    >>> torch.distributions.utils.broadcast_all(torch.zeros(2), 1.0)
    """
    import glowgrad as torch

    if not all([isinstance(v, (TensorBase, *_Number)) for v in values]):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    first = [v for v in values if isinstance(v, TensorBase)][:1]
    dtype = first[0].dtype if first else torch.get_default_dtype()
    device = first[0].device if first else None
    tensors = [
        v if isinstance(v, TensorBase) else torch.tensor(v, dtype=dtype, device=device)
        for v in values
    ]
    shape = tensors[0].shape
    for x in tensors[1:]:
        for back, (a, b) in enumerate(zip(reversed(shape), reversed(x.shape))):
            if a != b and 1 not in (a, b):
                raise RuntimeError(
                    f"The size of tensor a ({a}) must match the size of tensor b ({b}) at "
                    f"non-singleton dimension {max(len(shape), x.ndim) - 1 - back}"
                )
        shape = torch.broadcast_shapes(shape, x.shape)
    return tuple([_fits(x, shape) for x in tensors])


def _standard_normal(shape, dtype, device):
    import glowgrad as torch

    return torch.randn(shape, dtype=dtype, device=device)


def _uniform(shape, like, low=0.0, high=1.0):
    """Uniform numbers in the dtype and place of a tensor."""
    import glowgrad as torch

    if (low, high) == (0.0, 1.0):
        return torch.rand(shape, dtype=like.dtype, device=like.device)
    return torch.empty(shape, dtype=like.dtype, device=like.device).uniform_(low, high)


def _filled(shape, value, like):
    import glowgrad as torch

    return torch.full(shape, value, dtype=like.dtype, device=like.device)


def _limits(x):
    from glowgrad._bytes import finfo

    return finfo(x.dtype)


def _sum_rightmost(value, dims):
    if dims == 0:
        return value
    return value.reshape(value.shape[:-dims] + (-1,)).sum(-1)


def logits_to_probs(logits, is_binary=False):
    """Probabilities of logits: by `sigmoid` of each where is_binary, else by `softmax`.

    >>> torch.distributions.utils.logits_to_probs(torch.zeros(2))
    """
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def clamp_probs(probs):
    """Probabilities moved a little away from 0 and 1.

    >>> torch.distributions.utils.clamp_probs(torch.tensor([0.0, 0.5])) > 0
    """
    eps = _limits(probs).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """Logits of probabilities: the logarithm of the odds where is_binary, else the logarithm.

    >>> torch.distributions.utils.probs_to_logits(torch.tensor([0.5, 0.5]))
    """
    probs = clamp_probs(probs)
    return probs.log() - (-probs).log1p() if is_binary else probs.log()


class lazy_property:
    """A property that is computed when first asked for, and kept.

    >>> class Square:
    >>>     @torch.distributions.utils.lazy_property
    >>>     def area(self):
    >>>         return 4
    >>>
    >>> Square().area
    """

    def __init__(self, wrapped):
        self.wrapped = wrapped
        update_wrapper(self, wrapped)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def _lower(size, diag, device):
    """Which elements of a square matrix lie on or below a diagonal."""
    counted = _C.arange(0, size, 1, None, False).to(device)
    return counted < counted.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat, diag=0):
    """The elements of a square matrix on and below a diagonal, row by row.

    >>> torch.distributions.utils.tril_matrix_to_vec(torch.arange(4.0).view(2, 2))
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _lower(n, diag, mat.device)]


def vec_to_tril_matrix(vec, diag=0):
    """The square matrix with these elements on and below a diagonal, and zeros above.

    >>> torch.distributions.utils.vec_to_tril_matrix(torch.tensor([1.0, 2.0, 3.0]))
    """
    count, odd = vec.shape[-1], 1 + 2 * diag
    n = ((odd ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5 - odd) / 2
    if round(n) - n > _limits(vec).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower "
            "triangular part of a square D x D matrix."
        )
    n = round(n)
    mask = _lower(n, diag, vec.device)
    places = mask.reshape(-1).nonzero().reshape(-1)
    flat = vec.new_zeros(vec.shape[:-1] + (n * n,))
    return flat.index_copy(-1, places, vec).reshape(vec.shape[:-1] + (n, n))
