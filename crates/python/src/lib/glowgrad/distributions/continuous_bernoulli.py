"""`ContinuousBernoulli`: like `Bernoulli`, of numbers between 0 and 1."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.bernoulli import _Odds, _cross_entropy
from glowgrad.distributions.distribution import _all
from glowgrad.distributions.exp_family import ExponentialFamily
from glowgrad.distributions.utils import (
    _uniform, broadcast_all, clamp_probs, lazy_property, logits_to_probs,
)

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(_Odds, ExponentialFamily):
    """The continuous Bernoulli distribution of numbers between 0 and 1.

    >>> torch.distributions.ContinuousBernoulli(torch.tensor([0.3])).mean
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        shape = self._take(probs, logits)
        if probs is not None:
            if validate_args is not None:
                if not _all(lambda: self.arg_constraints["probs"].check(self.probs)):
                    raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            ContinuousBernoulli, _instance, batch_shape, ("probs", "logits"), _lims=self._lims
        )

    @lazy_property
    def probs(self):
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside(self):
        """Where the formulas hold: not near 1/2, where they divide by almost 0."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self):
        return _C.where(self._outside(), self.probs, self.probs.detach() * 0 + self._lims[0])

    def _cont_bern_log_norm(self):
        cut = self._cut()
        ones = cut.detach() * 0 + 1
        below = _C.where(cut <= 0.5, cut, ones - 1)
        above = _C.where(cut >= 0.5, cut, ones)
        log_norm = ((-cut).log1p() - cut.log()).abs().log() - _C.where(
            cut <= 0.5, (-2.0 * below).log1p(), (2.0 * above - 1.0).log()
        )
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return _C.where(self._outside(), log_norm, taylor)

    @property
    def mean(self):
        cut = self._cut()
        mean = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return _C.where(self._outside(), mean, taylor)

    @property
    def variance(self):
        cut = self._cut()
        variance = (
            cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2)
            + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        )
        x = (self.probs - 0.5).pow(2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return _C.where(self._outside(), variance, taylor)

    def sample(self, sample_shape=Size()):
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=Size()):
        return self.icdf(_uniform(self._extended_shape(sample_shape), self.probs))

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -_cross_entropy(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value):
        self._check(value)
        cut = self._cut()
        cdf = (cut.pow(value) * (1.0 - cut).pow(1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        return _C.where(self._outside(), cdf, value).masked_fill(value <= 0, 0.0).masked_fill(
            value >= 1, 1.0
        )

    def icdf(self, value):
        cut = self._cut()
        logits = (-cut + value * (2.0 * cut - 1.0)).log1p() - (-cut).log1p()
        return _C.where(self._outside(), logits / (cut.log() - (-cut).log1p()), value)

    def entropy(self):
        log0, log1 = (-self.probs).log1p(), self.probs.log()
        return self.mean * (log0 - log1) - self._cont_bern_log_norm() - log0

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = _C.where(outside, x, x.detach() * 0 + (self._lims[0] - 0.5))
        log_norm = cut.expm1().abs().log() - cut.abs().log()
        taylor = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return _C.where(outside, log_norm, taylor)
