"""`Dirichlet`: random shares that sum to 1."""

import _glowgrad as _C
from glowgrad._draws import _dirichlet_slope, _sample_dirichlet
from glowgrad._place import Size
from _glowgrad import digamma, lgamma
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


def _shares(concentration):
    """Drawn shares, with the gradient of shares that keep their place in the distribution."""
    drawn = _sample_dirichlet(concentration)

    def backward(gradient):
        with no_grad():
            total = concentration.detach().sum(-1, True).expand_as(concentration)
            slope = _C.quietly(lambda: _dirichlet_slope(drawn, concentration.detach(), total))
            return (slope * (gradient - (drawn * gradient).sum(-1, True)),)

    return _C.custom("_DirichletBackward", backward, [concentration], drawn)


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution of shares that sum to 1.

    >>> torch.distributions.Dirichlet(torch.ones(3)).sample()
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _param_dims = 1

    def __init__(self, concentration, validate_args=None):
        if concentration.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Dirichlet, _instance, batch_shape, ("concentration",))

    def rsample(self, sample_shape=Size()):
        return _shares(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check(value)
        return (
            _C.xlogy(self.concentration - 1.0, value).sum(-1) + lgamma(self.concentration.sum(-1))
            - lgamma(self.concentration).sum(-1)
        )

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self):
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        # Where all are below 1 the likeliest is a corner.
        corner = _C.one_hot(mode.nan_to_num().argmax(-1), mode.shape[-1]).to(mode.dtype)
        return _C.where((self.concentration < 1).all(-1).unsqueeze(-1), corner, mode)

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        k = self.concentration.shape[-1]
        total = self.concentration.sum(-1)
        return (
            lgamma(self.concentration).sum(-1) - lgamma(total) - (k - total) * digamma(total)
            - ((self.concentration - 1.0) * digamma(self.concentration)).sum(-1)
        )

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return lgamma(x).sum(-1) - lgamma(x.sum(-1))
