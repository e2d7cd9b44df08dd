"""`Beta`: random shares of two."""

import _glowgrad as _C
from glowgrad._place import Size
from _glowgrad import lgamma
from glowgrad.distributions import constraints
from glowgrad.distributions.dirichlet import Dirichlet
from glowgrad.distributions.exp_family import ExponentialFamily
from glowgrad.distributions.utils import _Number, broadcast_all

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """The beta distribution of numbers between 0 and 1.

    >>> torch.distributions.Beta(2.0, 3.0).mean
    """

    arg_constraints = {
        "concentration1": constraints.positive, "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        if isinstance(concentration1, _Number) and isinstance(concentration0, _Number):
            both = _C.from_data([float(concentration1), float(concentration0)], None, False)
        else:
            both = _C.stack(list(broadcast_all(concentration1, concentration0)), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(
            Beta, _instance, batch_shape, (), _dirichlet=self._dirichlet.expand(batch_shape)
        )

    @property
    def concentration1(self):
        """The weight of 1.

        >>> torch.distributions.Beta(2.0, 3.0).concentration1
        """
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self):
        """The weight of 0.

        >>> torch.distributions.Beta(2.0, 3.0).concentration0
        """
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self):
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self):
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=Size()):
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        self._check(value)
        return self._dirichlet.log_prob(_C.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()

    @property
    def _natural_params(self):
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x, y):
        return lgamma(x) + lgamma(y) - lgamma(x + y)
