"""`Gamma`: sums of exponential waits, and what lies between."""

import _glowgrad as _C
from glowgrad._draws import _standard_gamma
from glowgrad._place import Size
from _glowgrad import digamma, lgamma
from _glowgrad import igamma as gammainc
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.exp_family import ExponentialFamily
from glowgrad.distributions.utils import _Number, _limits, broadcast_all

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """The gamma distribution with this shape, `concentration`, and this rate.

    >>> torch.distributions.Gamma(2.0, 1.0).sample((2,))
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        numbers = isinstance(concentration, _Number) and isinstance(rate, _Number)
        shape = Size() if numbers else self.concentration.shape
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Gamma, _instance, batch_shape, ("concentration", "rate"))

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def mode(self):
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        return self.concentration / self.rate.pow(2)

    def sample(self, sample_shape=Size(), *, generator=None):
        with no_grad():
            return self.rsample(sample_shape, generator)

    def rsample(self, sample_shape=Size(), generator=None):
        shape = self._extended_shape(sample_shape)
        drawn = _standard_gamma(self.concentration.expand(shape), generator)
        value = drawn / self.rate.expand(shape)
        value.detach().clamp_(min=_limits(value).tiny)
        return value

    def log_prob(self, value):
        from glowgrad import as_tensor

        value = as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._check(value)
        return (
            _C.xlogy(self.concentration, self.rate) + _C.xlogy(self.concentration - 1, value)
            - self.rate * value - lgamma(self.concentration)
        )

    def cdf(self, value):
        self._check(value)
        return gammainc(self.concentration, self.rate * value)

    def entropy(self):
        return (
            self.concentration - self.rate.log() + lgamma(self.concentration)
            + (1.0 - self.concentration) * digamma(self.concentration)
        )

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return lgamma(x + 1) + (x + 1) * (-y.reciprocal()).log()
