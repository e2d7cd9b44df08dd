"""`Bernoulli`: 1 with a probability, else 0."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.exp_family import ExponentialFamily
from glowgrad.distributions.utils import (
    _Number, broadcast_all, lazy_property, logits_to_probs, probs_to_logits,
)

__all__ = ["Bernoulli"]

_cross_entropy = _C.binary_cross_entropy_with_logits


def _one_of(probs, logits):
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class _Odds:
    """What distributions with `probs` or `logits` of two outcomes share."""

    @lazy_property
    def logits(self):
        """The logarithm of the odds.

        >>> torch.distributions.Bernoulli(0.5).logits
        """
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        """The probability.

        >>> torch.distributions.Bernoulli(logits=torch.tensor(0.0)).probs
        """
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self):
        """The shape of the parameter that was given.

        >>> torch.distributions.Bernoulli(torch.ones(2)).param_shape
        """
        return self._param.shape

    def _take(self, probs, logits):
        """Keeps the parameter that was given, and gives its shape."""
        _one_of(probs, logits)
        given = logits if probs is None else probs
        (self._param,) = broadcast_all(given)
        setattr(self, "logits" if probs is None else "probs", self._param)
        return Size() if isinstance(given, _Number) else self._param.shape


class Bernoulli(_Odds, ExponentialFamily):
    """The Bernoulli distribution: 1 with probability `probs`, or with these `logits`.

    >>> torch.distributions.Bernoulli(torch.tensor([0.0, 1.0])).sample()
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(self._take(probs, logits), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Bernoulli, _instance, batch_shape, ("probs", "logits"))

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        mode = (self.probs >= 0.5).to(self.probs)
        return mode.masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return self.probs.expand(shape).bernoulli()

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -_cross_entropy(logits, value, reduction="none")

    def entropy(self):
        return _cross_entropy(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        return _counted(self, 2, self._param.dtype, expand)

    @property
    def _natural_params(self):
        return (self.probs.log() - (-self.probs).log1p(),)

    def _log_normalizer(self, x):
        return x.exp().log1p()


def _counted(distribution, count, dtype, expand):
    """0, 1, …, before the batch."""
    shape = distribution._batch_shape
    values = _C.arange(0, count, 1, dtype, False).to(distribution._param.device)
    values = values.view((-1,) + (1,) * len(shape))
    return values.expand((-1,) + shape) if expand else values
