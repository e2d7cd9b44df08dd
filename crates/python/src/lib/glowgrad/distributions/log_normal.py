"""`LogNormal`: numbers whose logarithms are normal."""

from glowgrad.distributions import constraints
from glowgrad.distributions.normal import Normal
from glowgrad.distributions.transformed_distribution import TransformedDistribution
from glowgrad.distributions.transforms import ExpTransform

__all__ = ["LogNormal"]


class _OfBase(TransformedDistribution):
    """A transformed distribution with `loc` and `scale` of its base."""

    has_rsample = True

    @property
    def loc(self):
        """The middle of the distribution that is transformed.

        >>> torch.distributions.LogNormal(0.0, 1.0).loc
        """
        return self.base_dist.loc

    @property
    def scale(self):
        """The spread of the distribution that is transformed.

        >>> torch.distributions.LogNormal(0.0, 1.0).scale
        """
        return self.base_dist.scale


class LogNormal(_OfBase):
    """The distribution of exp of normal numbers.

    >>> torch.distributions.LogNormal(0.0, 1.0).mean
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(LogNormal, _instance))

    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
