"""`OneHotCategorical`: one of several classes, as a vector with a 1 in its place."""

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.categorical import Categorical
from glowgrad.distributions.distribution import Distribution

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class _OfCategorical:
    """What distributions around a `Categorical` have of it."""

    @property
    def _param(self):
        return self._categorical._param

    @property
    def probs(self):
        """The probabilities, which sum to 1.

        >>> torch.distributions.OneHotCategorical(torch.ones(4)).probs
        """
        return self._categorical.probs

    @property
    def logits(self):
        """The logarithms of the probabilities.

        >>> torch.distributions.OneHotCategorical(torch.ones(2)).logits
        """
        return self._categorical.logits

    @property
    def param_shape(self):
        """The shape of the parameter that was given.

        >>> torch.distributions.OneHotCategorical(torch.ones(2, 3)).param_shape
        """
        return self._categorical.param_shape


class OneHotCategorical(_OfCategorical, Distribution):
    """The distribution of a vector with a 1 in one place, with weights `probs` or with `logits`.

    >>> torch.distributions.OneHotCategorical(torch.tensor([0.0, 0.0, 1.0])).sample()
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(
            self._categorical.batch_shape, self._categorical.param_shape[-1:],
            validate_args=validate_args,
        )

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            OneHotCategorical, _instance, batch_shape, (),
            _categorical=self._categorical.expand(batch_shape),
        )

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        return self._marked(self.probs.argmax(-1))

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=Size()):
        return self._marked(self._categorical.sample(sample_shape))

    def _marked(self, indices):
        return _C.one_hot(indices, self._event_shape[0]).to(self.probs.dtype)

    def log_prob(self, value):
        self._check(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self._event_shape[0]
        values = _C.eye(n, n, self._param.dtype, False).to(self._param.device)
        values = values.view((n,) + (1,) * len(self._batch_shape) + (n,))
        return values.expand((n,) + self._batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` whose draws have the gradient of the probabilities.

    >>> logits = torch.zeros(2, requires_grad=True)
    >>> torch.distributions.OneHotCategoricalStraightThrough(logits=logits).rsample()
    """

    has_rsample = True

    def rsample(self, sample_shape=Size()):
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
