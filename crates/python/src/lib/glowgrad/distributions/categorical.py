"""`Categorical`: one of several indices."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.bernoulli import _counted, _one_of
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import (
    _filled, _fits, _limits, lazy_property, logits_to_probs, probs_to_logits,
)

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The distribution of an index, with weights `probs` or with `logits`.

    >>> torch.distributions.Categorical(torch.tensor([0.0, 0.0, 1.0])).sample((2,))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _param_dims = 1

    def __init__(self, probs=None, logits=None, validate_args=None):
        _one_of(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if given.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = self._param = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = self._param = logits - logits.logsumexp(-1, keepdim=True)
        self._num_events = self._param.shape[-1]
        super().__init__(self._param.shape[:-1], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            Categorical, _instance, batch_shape, ("probs", "logits"), _num_events=self._num_events
        )

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self):
        """The logarithms of the probabilities.

        >>> torch.distributions.Categorical(torch.ones(2)).logits
        """
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self):
        """The probabilities, which sum to 1.

        >>> torch.distributions.Categorical(torch.ones(4)).probs
        """
        return logits_to_probs(self.logits)

    @property
    def param_shape(self):
        """The shape of the parameter that was given.

        >>> torch.distributions.Categorical(torch.ones(2, 3)).param_shape
        """
        return self._param.shape

    @property
    def mean(self):
        return _filled(self._extended_shape(), math.nan, self.probs)

    @property
    def mode(self):
        return self.probs.argmax(-1)

    @property
    def variance(self):
        return _filled(self._extended_shape(), math.nan, self.probs)

    def sample(self, sample_shape=Size()):
        sample_shape = Size(sample_shape)
        rows = self.probs.detach().reshape(-1, self._num_events)
        drawn = rows.multinomial(sample_shape.numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        from glowgrad import broadcast_shapes

        self._check(value)
        value = value.long().unsqueeze(-1)
        shape = broadcast_shapes(value.shape, self.logits.shape)
        places = _fits(value, shape)[..., :1]
        return _fits(self.logits, shape).gather(-1, places).squeeze(-1)

    def entropy(self):
        logits = self.logits.clamp(min=_limits(self.logits).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        return _counted(self, self._num_events, _C.int64, expand)
