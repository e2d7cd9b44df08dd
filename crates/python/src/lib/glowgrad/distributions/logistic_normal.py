"""`LogisticNormal`: normal numbers as shares that sum to 1."""

from glowgrad.distributions import constraints
from glowgrad.distributions.normal import Normal
from glowgrad.distributions.transformed_distribution import TransformedDistribution
from glowgrad.distributions.transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """The distribution of shares that sum to 1, made of normal numbers.

    >>> torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).event_shape
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(LogisticNormal, _instance))

    @property
    def loc(self):
        """The middle of the normal numbers.

        >>> torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).loc
        """
        return self.base_dist.base_dist.loc

    @property
    def scale(self):
        """The spread of the normal numbers.

        >>> torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).scale
        """
        return self.base_dist.base_dist.scale
