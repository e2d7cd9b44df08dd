"""`HalfCauchy`: sizes of Cauchy numbers."""

import math

from glowgrad.distributions.cauchy import Cauchy
from glowgrad.distributions.half_normal import _Half
from glowgrad.distributions.transforms import AbsTransform
from glowgrad.distributions.utils import _filled

__all__ = ["HalfCauchy"]


class HalfCauchy(_Half):
    """The distribution of the sizes of Cauchy numbers around 0.

    >>> torch.distributions.HalfCauchy(1.0).mean
    """

    def __init__(self, scale, validate_args=None):
        base = Cauchy(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(HalfCauchy, _instance))

    @property
    def mean(self):
        return _filled(self._extended_shape(), math.inf, self.scale)

    @property
    def variance(self):
        return self.base_dist.variance

    def log_prob(self, value):
        from glowgrad import as_tensor

        scale = self.base_dist.scale
        return super().log_prob(as_tensor(value, dtype=scale.dtype, device=scale.device))
