"""`Independent`: dimensions of the batch as dimensions of the event."""

from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import _sum_rightmost

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution whose last batch dimensions count as one event: their `log_prob` is summed.

    >>> D = torch.distributions
    >>> D.Independent(D.Normal(torch.zeros(3), 1.0), 1).log_prob(torch.zeros(3))
    """

    arg_constraints = {}

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        batch, event = base_distribution.batch_shape, base_distribution.event_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape, cut = batch + event, len(batch) - reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape, dims = Size(batch_shape), self.reinterpreted_batch_ndims
        return self._expanded(
            Independent, _instance, batch_shape, (), reinterpreted_batch_ndims=dims,
            base_dist=self.base_dist.expand(batch_shape + self._event_shape[:dims]),
        )

    @property
    def has_rsample(self):
        """Whether `rsample` has a gradient.

        >>> D = torch.distributions
        >>> D.Independent(D.Normal(torch.zeros(3), 1.0), 1).has_rsample
        """
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self):
        """Whether `enumerate_support` is there.

        >>> D = torch.distributions
        >>> D.Independent(D.Bernoulli(torch.ones(3)), 1).has_enumerate_support
        """
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self):
        support, dims = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(support, dims) if dims else support

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def mode(self):
        return self.base_dist.mode

    @property
    def variance(self):
        return self.base_dist.variance

    def sample(self, sample_shape=Size()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=Size()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand=True):
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
