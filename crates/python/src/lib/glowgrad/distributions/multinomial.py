"""`Multinomial`: how often each class comes in a number of tries."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from _glowgrad import lgamma
from glowgrad.distributions import constraints
from glowgrad.distributions.binomial import Binomial
from glowgrad.distributions.categorical import Categorical
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.one_hot_categorical import _OfCategorical
from glowgrad.distributions.utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(_OfCategorical, Distribution):
    """The distribution of the counts of classes in `total_count` tries.

    >>> torch.distributions.Multinomial(4, torch.tensor([0.0, 1.0])).sample()
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:],
            validate_args=validate_args,
        )

    def expand(self, batch_shape, _instance=None):
        batch_shape = Size(batch_shape)
        return self._expanded(
            Multinomial, _instance, batch_shape, (), total_count=self.total_count,
            _categorical=self._categorical.expand(batch_shape),
            _binomial=self._binomial.expand(batch_shape + self._event_shape),
        )

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=Size()):
        drawn = self._categorical.sample((self.total_count,) + Size(sample_shape))
        drawn = drawn.movedim(0, -1)
        counts = _C.full(self._extended_shape(sample_shape), 0, drawn.dtype, False)
        counts = counts.to(drawn.device)
        ones = _C.full(drawn.shape, 1, drawn.dtype, False).to(drawn.device)
        return counts.scatter_add(-1, drawn, ones).type_as(self.probs)

    def entropy(self):
        n = self.probs.new_tensor(self.total_count)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        weights = self._binomial.log_prob(counts).exp() * lgamma(counts + 1)
        return n * self._categorical.entropy() - lgamma(n + 1) + weights.sum([0, -1])

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        orders = lgamma(value.sum(-1) + 1) - lgamma(value + 1).sum(-1)
        return orders + (logits * value).sum(-1)
