"""`Binomial`: how many of a number of tries succeed."""

from glowgrad._draws import binomial
from glowgrad._place import Size
from _glowgrad import lgamma
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.bernoulli import _Odds, _counted, _one_of
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import broadcast_all

__all__ = ["Binomial"]


class _Tries(_Odds):
    """What distributions of many tries share."""

    def _take_tries(self, total_count, probs, logits):
        _one_of(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        total_count, self._param = broadcast_all(total_count, given)
        self.total_count = total_count.type_as(self._param)
        setattr(self, name, self._param)
        return self._param.shape


class Binomial(_Tries, Distribution):
    """The distribution of the successes among `total_count` tries.

    >>> torch.distributions.Binomial(10, torch.tensor([0.5, 0.2])).mean
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        shape = self._take_tries(total_count, probs, logits)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Binomial, _instance, batch_shape, ("total_count", "probs", "logits"))

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        self._check(value)
        n, logits = self.total_count, self.logits
        # The logarithm of 1 + exp(logits), without overflow.
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        rest = n * above + n * (-logits.abs()).exp().log1p() - lgamma(n + 1)
        return value * logits - lgamma(value + 1) - lgamma(n - value + 1) - rest

    def entropy(self):
        log_prob = self.log_prob(self._all_counts("entropy", False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        return self._all_counts("enumerate_support", expand)

    def _all_counts(self, name, expand):
        most = int(self.total_count.max())
        if not self.total_count.min() == most:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{name}`.")
        return _counted(self, 1 + most, self._param.dtype, expand)
