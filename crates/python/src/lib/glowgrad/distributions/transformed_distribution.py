"""`TransformedDistribution`: draws of a distribution after transforms."""

from glowgrad._place import Size
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.transforms import ComposeTransform, Transform
from glowgrad.distributions.utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of what transforms make of another distribution's draws.

    >>> D = torch.distributions
    >>> d = D.TransformedDistribution(D.Normal(0.0, 1.0), [D.ExpTransform()])
    >>> d.log_prob(torch.tensor(1.0))
    """

    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all([isinstance(each, Transform) for each in transforms]):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        base = base_distribution
        base_shape = base.batch_shape + base.event_shape
        base_dims = len(base.event_shape)
        transform = ComposeTransform(self.transforms)
        inner, outer = transform.domain.event_dim, transform.codomain.event_dim
        if len(base_shape) < inner:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {inner}, but got "
                f"{base_shape}."
            )
        shape = Size(transform.forward_shape(base_shape))
        grown = Size(transform.inverse_shape(shape))
        if base_shape != grown:
            base = base.expand(grown[:len(grown) - base_dims])
        if inner > base_dims:
            from glowgrad.distributions.independent import Independent

            base = Independent(base, inner - base_dims)
        self.base_dist = base
        cut = len(shape) - max(outer, base_dims + outer - inner)
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape = Size(batch_shape)
        shape = batch_shape + self._event_shape
        for transform in reversed(self.transforms):
            shape = Size(transform.inverse_shape(shape))
        base = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        return self._expanded(
            TransformedDistribution, _instance, batch_shape, (), base_dist=base,
            transforms=self.transforms,
        )

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self._event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self):
        """Whether `rsample` has a gradient.

        >>> torch.distributions.LogNormal(0.0, 1.0).has_rsample
        """
        return self.base_dist.has_rsample

    def sample(self, sample_shape=Size()):
        with no_grad():
            x = self.base_dist.sample(sample_shape)
            for transform in self.transforms:
                x = transform(x)
            return x

    def rsample(self, sample_shape=Size()):
        x = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value):
        self._check(value)
        dims, log_prob, y = len(self._event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            stretch = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(stretch, dims - transform.domain.event_dim)
            y = x
        rest = dims - len(self.base_dist.event_shape)
        return log_prob + _sum_rightmost(self.base_dist.log_prob(y), rest)

    def _rising(self, value):
        """A probability, of what is above where the transforms fall."""
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._rising(self.base_dist.cdf(value))

    def icdf(self, value):
        value = self.base_dist.icdf(self._rising(value))
        for transform in self.transforms:
            value = transform(value)
        return value
