"""Transforms of each element: `ExpTransform`, `AffineTransform` and their like."""

import math

import _glowgrad as _C
from glowgrad.distributions import constraints
from glowgrad.distributions.transforms import Transform, _Like
from glowgrad.distributions.utils import _Number, _limits, broadcast_all, lazy_property


class ExpTransform(_Like):
    """y = exp(x).

    >>> torch.distributions.ExpTransform()(torch.zeros(2))
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class PowerTransform(Transform):
    """y = x to the power of an exponent.

    >>> torch.distributions.PowerTransform(2.0)(torch.tensor([1.0, 3.0]))
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size=1):
        same = self._cache_size == cache_size
        return self if same else PowerTransform(self.exponent, cache_size=cache_size)

    @lazy_property
    def sign(self):
        return self.exponent.sign()

    def __eq__(self, other):
        if not isinstance(other, PowerTransform):
            return False
        return self.exponent.eq(other.exponent).all().item()

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        return _met(shape, self.exponent)

    inverse_shape = forward_shape


def _met(shape, *parameters):
    """The shape in which a shape meets tensors."""
    from glowgrad import broadcast_shapes

    return broadcast_shapes(shape, *[getattr(each, "shape", ()) for each in parameters])


def _clipped_sigmoid(x):
    limits = _limits(x)
    return x.sigmoid().clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_Like):
    """y = sigmoid(x).

    >>> torch.distributions.SigmoidTransform()(torch.zeros(2))
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x):
        return _clipped_sigmoid(x)

    def _inverse(self, y):
        limits = _limits(y)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -_C.softplus(-x) - _C.softplus(x)


class SoftplusTransform(_Like):
    """y = log(1 + exp(x)).

    >>> torch.distributions.SoftplusTransform()(torch.zeros(2))
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x):
        return _C.softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -_C.softplus(-x)


class TanhTransform(_Like):
    """y = tanh(x).

    >>> torch.distributions.TanhTransform()(torch.zeros(2))
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (math.log(2.0) - x - _C.softplus(-2.0 * x))


class AbsTransform(_Like):
    """y = |x|.

    >>> torch.distributions.AbsTransform()(torch.tensor([-1.0, 2.0]))
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class AffineTransform(Transform):
    """y = loc + scale x.

    >>> torch.distributions.AffineTransform(1.0, 2.0)(torch.tensor([0.0, 1.0]))
    """

    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self):
        return self._event_dim

    def _real(self):
        if self._event_dim == 0:
            return constraints.real
        return constraints.independent(constraints.real, self._event_dim)

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._real()

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._real()

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self._event_dim, cache_size=cache_size)

    def __eq__(self, other):
        if not isinstance(other, AffineTransform):
            return False
        for a, b in ((self.loc, other.loc), (self.scale, other.scale)):
            same = a == b
            if not (same if isinstance(same, bool) else same.all().item()):
                return False
        return True

    @property
    def sign(self):
        if isinstance(self.scale, _Number):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        shape, scale = x.shape, self.scale
        if isinstance(scale, _Number):
            result = _C.full(shape, math.log(abs(scale)), x.dtype, False).to(x.device)
        else:
            result = scale.abs().log()
        if self._event_dim:
            result = result.view(result.shape[:-self._event_dim] + (-1,)).sum(-1)
            shape = shape[:-self._event_dim]
        return result.expand(shape)

    def forward_shape(self, shape):
        return _met(shape, self.loc, self.scale)

    inverse_shape = forward_shape
