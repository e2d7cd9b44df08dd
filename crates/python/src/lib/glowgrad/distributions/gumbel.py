"""`Gumbel`: the largest of many numbers."""

import math

import _glowgrad as _C
from glowgrad.distributions import constraints
from glowgrad.distributions.transformed_distribution import TransformedDistribution
from glowgrad.distributions.transforms import AffineTransform, ExpTransform
from glowgrad.distributions.uniform import Uniform
from glowgrad.distributions.utils import _Number, _limits, broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The Gumbel distribution around `loc`.

    >>> torch.distributions.Gumbel(0.0, 1.0).mean
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = _limits(self.loc)
        low, high = limits.tiny, 1 - limits.eps
        if not (isinstance(loc, _Number) and isinstance(scale, _Number)):
            low, high = [
                _C.full(self.loc.shape, bound, self.loc.dtype, False).to(self.loc.device)
                for bound in (low, high)
            ]
        transforms = [
            ExpTransform().inv, AffineTransform(loc=0, scale=self.scale.detach() * 0 - 1),
            ExpTransform().inv, AffineTransform(loc=loc, scale=-self.scale),
        ]
        base = Uniform(low, high, validate_args=validate_args)
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
        return super().expand(batch_shape, new)

    def log_prob(self, value):
        self._check(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    @property
    def mean(self):
        return self.loc + self.scale * euler_constant

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)
