"""`InverseGamma`: reciprocals of gamma numbers."""

import math

import _glowgrad as _C
from _glowgrad import digamma, lgamma
from glowgrad.distributions import constraints
from glowgrad.distributions.gamma import Gamma
from glowgrad.distributions.transformed_distribution import TransformedDistribution
from glowgrad.distributions.transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The distribution of reciprocals of gamma numbers.

    >>> torch.distributions.InverseGamma(3.0, 2.0).mean
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        minus_one = -base.rate.new_ones(())
        super().__init__(base, PowerTransform(minus_one), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(InverseGamma, _instance))

    @property
    def concentration(self):
        """The shape of the gamma numbers.

        >>> torch.distributions.InverseGamma(3.0, 2.0).concentration
        """
        return self.base_dist.concentration

    @property
    def rate(self):
        """The rate of the gamma numbers.

        >>> torch.distributions.InverseGamma(3.0, 2.0).rate
        """
        return self.base_dist.rate

    @property
    def mean(self):
        mean = self.rate / (self.concentration - 1)
        return _C.where(self.concentration > 1, mean, math.inf)

    @property
    def mode(self):
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        a = self.concentration
        variance = self.rate.square() / ((a - 1).square() * (a - 2))
        return _C.where(a > 2, variance, math.inf)

    def entropy(self):
        a = self.concentration
        return a + self.rate.log() + lgamma(a) - (1 + a) * digamma(a)
