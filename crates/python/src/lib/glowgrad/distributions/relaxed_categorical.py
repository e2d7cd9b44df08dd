"""`RelaxedOneHotCategorical`: shares that are near a single 1, with a gradient."""

import math

from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.categorical import Categorical
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.one_hot_categorical import _OfCategorical
from glowgrad.distributions.relaxed_bernoulli import _Relaxed
from glowgrad.distributions.transforms import ExpTransform
from glowgrad.distributions.utils import _uniform, broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(_OfCategorical, Distribution):
    """The distribution of the logarithms of `RelaxedOneHotCategorical`.

    >>> kind = torch.distributions.relaxed_categorical.ExpRelaxedCategorical
    >>> kind(torch.tensor(0.5), torch.ones(3)).event_shape
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:],
            validate_args=validate_args,
        )

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            ExpRelaxedCategorical, _instance, batch_shape, (), temperature=self.temperature,
            _categorical=self._categorical.expand(batch_shape),
        )

    def rsample(self, sample_shape=Size()):
        drawn = clamp_probs(_uniform(self._extended_shape(sample_shape), self.logits))
        scores = (self.logits + -(-drawn.log()).log()) / self.temperature
        return scores - scores.logsumexp(-1, keepdim=True)

    def log_prob(self, value):
        self._check(value)
        count = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        scale = math.lgamma(count) - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(_Relaxed):
    """A `OneHotCategorical` whose draws are shares that sum to 1, and have a gradient.

    >>> logits = torch.zeros(3, requires_grad=True)
    >>> D = torch.distributions
    >>> D.RelaxedOneHotCategorical(torch.tensor(0.5), logits=logits).rsample().shape
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(RelaxedOneHotCategorical, _instance)
        return super().expand(batch_shape, new)
