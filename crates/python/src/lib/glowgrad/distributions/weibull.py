"""`Weibull`: lifetimes of what ages."""

from _glowgrad import lgamma
from glowgrad.distributions import constraints
from glowgrad.distributions.exponential import Exponential
from glowgrad.distributions.transformed_distribution import TransformedDistribution
from glowgrad.distributions.transforms import AffineTransform, PowerTransform
from glowgrad.distributions.utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The Weibull distribution.

    >>> torch.distributions.Weibull(1.0, 2.0).mean
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(self.scale.detach() * 0 + 1, validate_args=validate_args)
        super().__init__(base, self._made_of(), validate_args=validate_args)

    def _made_of(self):
        return [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Weibull, _instance)
        new.scale = self.scale.expand(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base = self.base_dist.expand(batch_shape)
        TransformedDistribution.__init__(new, base, new._made_of(), validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self):
        return self.scale * lgamma(1 + self.concentration_reciprocal).exp()

    @property
    def mode(self):
        share = (self.concentration - 1) / self.concentration
        return self.scale * share ** self.concentration.reciprocal()

    @property
    def variance(self):
        once = lgamma(1 + self.concentration_reciprocal)
        twice = lgamma(1 + 2 * self.concentration_reciprocal)
        return self.scale.pow(2) * (twice.exp() - (2 * once).exp())

    def entropy(self):
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + (self.scale * inverse).log() + 1
