"""`Cauchy`: a bell with tails so wide that it has no mean."""

import math

from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import _Number, _filled, broadcast_all

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The Cauchy distribution around `loc`.

    >>> torch.distributions.Cauchy(0.0, 1.0).sample((2,))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        numbers = isinstance(loc, _Number) and isinstance(scale, _Number)
        super().__init__(Size() if numbers else self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Cauchy, _instance, batch_shape, ("loc", "scale"))

    @property
    def mean(self):
        return _filled(self._extended_shape(), math.nan, self.loc)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return _filled(self._extended_shape(), math.inf, self.loc)

    def rsample(self, sample_shape=Size()):
        drawn = _filled(self._extended_shape(sample_shape), 0, self.loc).cauchy_()
        return self.loc + drawn * self.scale

    def log_prob(self, value):
        self._check(value)
        squares = ((value - self.loc) / self.scale) ** 2
        return -math.log(math.pi) - self.scale.log() - squares.log1p()

    def cdf(self, value):
        self._check(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value):
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()
