"""`GeneralizedPareto`: what is beyond a threshold."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import _Number, _uniform, broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution of numbers from `loc` on.

    >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.2).mean
    """

    arg_constraints = {
        "loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        given = (loc, scale, concentration)
        self.loc, self.scale, self.concentration = broadcast_all(*given)
        numbers = all([isinstance(each, _Number) for each in given])
        super().__init__(Size() if numbers else self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            GeneralizedPareto, _instance, batch_shape, ("loc", "scale", "concentration")
        )

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        most = self.loc - self.scale / self.concentration
        return constraints.interval(
            self.loc, _C.where(self.concentration < 0, most, math.inf)
        )

    def _flat(self):
        """Where the concentration is 0, and the concentration with 1 there."""
        flat = self.concentration.abs() <= 1e-8
        return flat, _C.where(flat, self.concentration.detach() * 0 + 1, self.concentration)

    def rsample(self, sample_shape=Size()):
        return self.icdf(_uniform(self._extended_shape(sample_shape), self.loc))

    def log_prob(self, value):
        self._check(value)
        z = (value - self.loc) / self.scale
        flat, safe = self._flat()
        y = 1 / safe + z.detach() * 0 + 1
        bent = _C.where(y == 0, y, y * (safe * z).log1p())
        return -self.scale.log() - _C.where(flat, z, bent)

    def log_survival_function(self, value):
        """The logarithm of the probability of what is above a value.

        >>> D = torch.distributions
        >>> D.GeneralizedPareto(0.0, 1.0, 0.0).log_survival_function(torch.tensor(1.0))
        """
        self._check(value)
        z = (value - self.loc) / self.scale
        flat, safe = self._flat()
        return _C.where(flat, -z, -(safe * z).log1p() / safe)

    def log_cdf(self, value):
        """The logarithm of `cdf`.

        >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.0).log_cdf(torch.tensor(1.0))
        """
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value):
        return self.log_cdf(value).exp()

    def icdf(self, value):
        flat, safe = self._flat()
        log = (-value).log1p()
        bent = self.loc + self.scale / safe * (-safe * log).expm1()
        return _C.where(flat, self.loc - self.scale * log, bent)

    @property
    def mean(self):
        valid = self.concentration < 1
        safe = _C.where(valid, self.concentration, 0.5)
        return _C.where(valid, self.loc + self.scale / (1 - safe), math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        valid = self.concentration < 0.5
        safe = _C.where(valid, self.concentration, 0.25)
        spread = self.scale ** 2 / ((1 - safe) ** 2 * (1 - 2 * safe))
        return _C.where(valid, spread, math.nan)

    def entropy(self):
        return (self.scale.log() + self.concentration + 1).expand(self._batch_shape)
