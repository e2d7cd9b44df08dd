"""`RelaxedBernoulli`: numbers between 0 and 1 that are near one of them, with a gradient."""

from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.bernoulli import _Odds
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.transformed_distribution import TransformedDistribution
from glowgrad.distributions.transforms import SigmoidTransform
from glowgrad.distributions.utils import _uniform, broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(_Odds, Distribution):
    """The distribution of the logits of `RelaxedBernoulli`.

    >>> kind = torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli
    >>> kind(torch.tensor(0.5), torch.tensor([0.2, 0.8])).batch_shape
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        super().__init__(self._take(probs, logits), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            LogitRelaxedBernoulli, _instance, batch_shape, ("probs", "logits"),
            temperature=self.temperature,
        )

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        drawn = clamp_probs(_uniform(shape, probs))
        logits = drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()
        return logits / self.temperature

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        apart = logits - value.mul(self.temperature)
        return self.temperature.log() + apart - 2 * apart.exp().log1p()


class _Relaxed(TransformedDistribution):
    """What the relaxed distributions have of their base."""

    has_rsample = True

    @property
    def temperature(self):
        """How far the draws are from being discrete.

        >>> D = torch.distributions
        >>> D.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.2])).temperature
        """
        return self.base_dist.temperature

    @property
    def logits(self):
        """The logits of the probabilities.

        >>> D = torch.distributions
        >>> D.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.5])).logits
        """
        return self.base_dist.logits

    @property
    def probs(self):
        """The probabilities.

        >>> D = torch.distributions
        >>> D.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.2])).probs
        """
        return self.base_dist.probs


class RelaxedBernoulli(_Relaxed):
    """A `Bernoulli` whose draws are between 0 and 1, and have a gradient.

    >>> probs = torch.tensor([0.2], requires_grad=True)
    >>> torch.distributions.RelaxedBernoulli(torch.tensor(0.5), probs).rsample().shape
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(RelaxedBernoulli, _instance))
