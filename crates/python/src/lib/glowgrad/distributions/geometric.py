"""`Geometric`: how many tries failed before the first success."""

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.bernoulli import _Odds, _cross_entropy
from glowgrad.distributions.distribution import Distribution, _all
from glowgrad.distributions.utils import _limits, _uniform, broadcast_all

__all__ = ["Geometric"]


class Geometric(_Odds, Distribution):
    """The distribution of the failures before the first success.

    >>> torch.distributions.Geometric(0.25).mean
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(self._take(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            if not _all(lambda: value > 0):
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to be positive but found "
                    f"invalid values:\n{value.detach()[~(value > 0)]}"
                )

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Geometric, _instance, batch_shape, ("probs", "logits"))

    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        return self.probs.detach() * 0

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        with no_grad():
            drawn = _uniform(shape, self.probs, _limits(self.probs).tiny, 1)
            return (drawn.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        self._check(value)
        value, probs = broadcast_all(value, self.probs)
        probs = _C.where((probs == 1) & (value == 0), probs.detach() * 0, probs)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        return _cross_entropy(self.logits, self.probs, reduction="none") / self.probs
