"""`VonMises`: angles around a direction."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import _uniform, broadcast_all, lazy_property

__all__ = ["VonMises"]

# Polynomials of the modified Bessel functions I0 and I1: M. Abramowitz and I. A. Stegun,
# "Handbook of Mathematical Functions", 9.8.1 to 9.8.4.
_NEAR = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_FAR = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1,
     0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1,
     -0.2895312e-1, 0.1787654e-1, -0.420059e-2),
)


def _polynomial(x, weights):
    result = weights[-1]
    for weight in weights[-2::-1]:
        result = weight + x * result
    return result


def _log_bessel(x, order):
    near = _polynomial((x / 3.75) * (x / 3.75), _NEAR[order])
    near = (x.abs() * near if order else near).log()
    far = x - 0.5 * x.log() + _polynomial(3.75 / x, _FAR[order]).log()
    return _C.where(x < 3.75, near, far)


class VonMises(Distribution):
    """The von Mises distribution of angles around `loc`.

    >>> torch.distributions.VonMises(torch.tensor(0.0), torch.tensor(4.0)).mean
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(VonMises, _instance, batch_shape, ("loc", "concentration"))

    def log_prob(self, value):
        self._check(value)
        along = self.concentration * (value - self.loc).cos()
        return along - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    def sample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        with no_grad():
            kappa, loc = self.concentration.double(), self.loc.double()
            tau = 1 + (1 + 4 * kappa ** 2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
            r = _C.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho ** 2) / (2 * rho))
            x = kappa.new_zeros(shape)
            done = x > 0
            # Angles are drawn for all until each was taken once.
            while not bool(done.all()):
                u1, u2, u3 = _uniform((3,) + shape, kappa).unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                taken = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                x = _C.where(taken, (u3 - 0.5).sign() * f.acos(), x)
                done = done | taken
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()
