"""`StudentT`: means of few normal numbers."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from _glowgrad import digamma, lgamma
from glowgrad.distributions import constraints
from glowgrad.distributions.chi2 import Chi2
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t-distribution with `df` degrees of freedom.

    >>> torch.distributions.StudentT(torch.tensor(5.0)).variance
    """

    arg_constraints = {
        "df": constraints.positive, "loc": constraints.real, "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            StudentT, _instance, batch_shape, ("df", "loc", "scale"),
            _chi2=self._chi2.expand(batch_shape),
        )

    @property
    def mean(self):
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        safe = self.df.masked_fill(self.df <= 2, 3.0)
        spread = self.scale.pow(2) * safe / (safe - 2)
        spread = _C.where(self.df > 2, spread, self.df.detach() * 0 + math.inf)
        return spread.masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, self.df.dtype, self.df.device)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * (z / self.df).rsqrt())

    def log_prob(self, value):
        self._check(value)
        y = (value - self.loc) / self.scale
        z = (
            self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
            + lgamma(0.5 * self.df) - lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * (y ** 2.0 / self.df).log1p() - z

    def entropy(self):
        more = 0.5 * (self.df + 1)
        beta = lgamma(0.5 * self.df) + math.lgamma(0.5) - lgamma(more)
        return (
            self.scale.log() + more * (digamma(more) - digamma(0.5 * self.df))
            + 0.5 * self.df.log() + beta
        )
