"""`HalfNormal`: sizes of normal numbers."""

import math

import _glowgrad as _C
from glowgrad.distributions import constraints
from glowgrad.distributions.log_normal import _OfBase
from glowgrad.distributions.normal import Normal
from glowgrad.distributions.transforms import AbsTransform

__all__ = ["HalfNormal"]


class _Half(_OfBase):
    """The sizes of the draws of a distribution around 0."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative

    @property
    def mode(self):
        return self.scale.detach() * 0

    def log_prob(self, value):
        self._check(value)
        log_prob = self.base_dist.log_prob(value) + math.log(2)
        return _C.where(value >= 0, log_prob, -math.inf)

    def cdf(self, value):
        self._check(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The distribution of the sizes of normal numbers around 0.

    >>> torch.distributions.HalfNormal(1.0).mean
    """

    def __init__(self, scale, validate_args=None):
        base = Normal(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(HalfNormal, _instance))

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        return self.scale.pow(2) * (1 - 2 / math.pi)
