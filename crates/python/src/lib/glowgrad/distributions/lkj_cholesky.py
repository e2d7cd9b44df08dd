"""`LKJCholesky`: random correlations, as Cholesky factors."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from _glowgrad import lgamma, mvlgamma
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.beta import Beta
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import _limits, _standard_normal, broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The distribution of Cholesky factors of correlation matrices.

    >>> torch.distributions.LKJCholesky(3, 0.5).sample().shape
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = self._counted(0, dim - 1)
        offset = _C.cat([offset.new_zeros((1,)), offset])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.shape, Size((dim, dim)), validate_args)

    def _counted(self, start, end):
        counted = _C.arange(start, end, 1, self.concentration.dtype, False)
        return counted.to(self.concentration.device)

    def expand(self, batch_shape, _instance=None):
        batch_shape = Size(batch_shape)
        return self._expanded(
            LKJCholesky, _instance, batch_shape, ("concentration",), dim=self.dim,
            _beta=self._beta.expand(batch_shape + (self.dim,)),
        )

    def sample(self, sample_shape=Size()):
        with no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            shape = self._extended_shape(sample_shape)
            drawn = _standard_normal(shape, y.dtype, y.device).tril(-1)
            # The first row is 0; the others point in a random direction.
            first = self._counted(0, self.dim).view(-1, 1) == 0
            sphere = (drawn / _C.vector_norm(drawn, 2, -1, True)).masked_fill(first, 0.0)
            w = y.sqrt() * sphere
            rest = (1 - (w ** 2).sum(-1)).clamp(min=_limits(w).tiny).sqrt()
            return w + rest.diag_embed()

    def log_prob(self, value):
        self._check(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim
        order = order - self._counted(2, self.dim + 1)
        less = self.dim - 1
        alpha = self.concentration + 0.5 * less
        total = 0.5 * less * math.log(math.pi) + mvlgamma(alpha - 0.5, less) - lgamma(alpha) * less
        return (order * diagonal.log()).sum(-1) - total
