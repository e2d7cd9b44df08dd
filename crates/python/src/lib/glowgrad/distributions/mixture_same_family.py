"""`MixtureSameFamily`: draws of one of several distributions of a kind."""

from glowgrad._place import Size
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.categorical import Categorical
from glowgrad.distributions.distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """The distribution that first chooses a component, then draws of it.

    >>> D = torch.distributions
    >>> components = D.Normal(torch.tensor([-1.0, 3.0]), torch.ones(2))
    >>> D.MixtureSameFamily(D.Categorical(torch.ones(2)), components).mean
    """

    arg_constraints = {}

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of "
                "torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of "
                "torch.distributions.Distribution"
            )
        mixture, component = mixture_distribution.batch_shape, component_distribution.batch_shape
        for a, b in zip(reversed(mixture), reversed(component[:-1])):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture}) is not compatible with "
                    f"`component_distribution.batch_shape`({component[:-1]})"
                )
        count = mixture_distribution.logits.shape[-1]
        if count != component[-1]:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({component[-1]})"
            )
        self._num_component = count
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(component[:-1], event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape = Size(batch_shape)
        component = self._component_distribution.expand(batch_shape + (self._num_component,))
        return self._expanded(
            MixtureSameFamily, _instance, batch_shape, (), component.event_shape,
            _component_distribution=component,
            _mixture_distribution=self._mixture_distribution.expand(batch_shape),
            _num_component=self._num_component, _event_ndims=self._event_ndims,
        )

    @constraints.dependent_property
    def support(self):
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        """The distribution that chooses.

        >>> D = torch.distributions
        >>> components = D.Normal(torch.zeros(2), torch.ones(2))
        >>> D.MixtureSameFamily(D.Categorical(torch.ones(2)), components).mixture_distribution
        """
        return self._mixture_distribution

    @property
    def component_distribution(self):
        """The distributions that are chosen from, the last of their batch.

        >>> D = torch.distributions
        >>> components = D.Normal(torch.zeros(2), torch.ones(2))
        >>> D.MixtureSameFamily(D.Categorical(torch.ones(2)), components).component_distribution
        """
        return self._component_distribution

    def _weighted(self, values):
        probs = self.mixture_distribution.probs
        batch = len(self.mixture_distribution.batch_shape)
        more = 0 if batch == 1 else len(self._batch_shape) - batch
        shape = probs.shape[:-1] + (1,) * more + probs.shape[-1:] + (1,) * self._event_ndims
        return (probs.reshape(shape) * values).sum(-1 - self._event_ndims)

    @property
    def mean(self):
        return self._weighted(self.component_distribution.mean)

    @property
    def variance(self):
        component = self.component_distribution
        apart = (component.mean - self._pad(self.mean)).pow(2.0)
        return self._weighted(component.variance) + self._weighted(apart)

    def cdf(self, x):
        cdf = self.component_distribution.cdf(self._pad(x))
        return (cdf * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, x):
        self._check(x)
        log_prob = self.component_distribution.log_prob(self._pad(x))
        weights = self.mixture_distribution.logits.log_softmax(-1)
        return (log_prob + weights).logsumexp(-1)

    def sample(self, sample_shape=Size()):
        sample_shape = Size(sample_shape)
        with no_grad():
            dim = len(sample_shape) + len(self._batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            chosen = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            chosen = chosen.expand(drawn.shape[:dim] + (1,) + self._event_shape)
            return drawn.gather(dim, chosen).squeeze(dim)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    def __repr__(self):
        return (
            f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
        )
