"""`NegativeBinomial`: how many tries succeed before a number of failures."""

import _glowgrad as _C
from glowgrad._draws import poisson
from glowgrad._place import Size
from _glowgrad import lgamma
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.binomial import _Tries
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.gamma import Gamma
from glowgrad.distributions.utils import lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(_Tries, Distribution):
    """The distribution of the successes before `total_count` failures.

    >>> torch.distributions.NegativeBinomial(3.0, torch.tensor(0.5)).mean
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0), "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        shape = self._take_tries(total_count, probs, logits)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            NegativeBinomial, _instance, batch_shape, ("total_count", "probs", "logits")
        )

    @property
    def mean(self):
        return self.total_count * self.logits.exp()

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self):
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape=Size()):
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value):
        self._check(value)
        n, logits = self.total_count, self.logits
        weight = n * _C.logsigmoid(-logits) + value * _C.logsigmoid(logits)
        total = -lgamma(n + value) + lgamma(1.0 + value) + lgamma(n)
        return weight - total.masked_fill(n + value == 0.0, 0.0)
