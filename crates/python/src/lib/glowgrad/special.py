"""`torch.special`: special functions of each element."""

import _glowgrad as _C
from _glowgrad import bessel_j0, bessel_j1, bessel_y0, bessel_y1, digamma, entr, erf, erfc, erfcx
from _glowgrad import erfinv, exp2, expm1, i0, i0e, i1, i1e, log1p, log_ndtr, logit, logsumexp
from _glowgrad import modified_bessel_i0, modified_bessel_i1, modified_bessel_k0, modified_bessel_k1
from _glowgrad import ndtr, ndtri, round, sinc, softmax, log_softmax, xlog1py, xlogy, zeta
from glowgrad._out import _with_out

gammaln, psi, expit = _C.lgamma, _C.digamma, _C.sigmoid
gammainc, gammaincc, multigammaln = _C.igamma, _C.igammac, _C.mvlgamma


@_with_out
def polygamma(n, input):
    """The n-th derivative of digamma of each element.

    >>> torch.special.polygamma(1, torch.tensor([0.5, 1.0, 5.0]))
    """
    return _C.polygamma(input, n)


def _forward_alone(op):
    """A function without a gradient: PyTorch has none, and its results are off the tape."""

    def function(*args, **kwargs):
        args = [x.detach() if isinstance(x, _C.TensorBase) else x for x in args]
        kwargs = {
            name: x.detach() if isinstance(x, _C.TensorBase) and name != "out" else x
            for name, x in kwargs.items()
        }
        return getattr(_C, op)(*args, **kwargs)

    function.__name__ = function.__qualname__ = op
    n = ", 3" if "polynomial" in op else ""
    function.__doc__ = (
        "The op of this name, off the tape: PyTorch has no derivative of it.\n\n"
        f">>> torch.special.{op}(torch.tensor([0.25, 0.5, 1.0]){n})"
    )
    return function


_FORWARD_ALONE = (
    "airy_ai scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 "
    "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
    "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u "
    "shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w hermite_polynomial_h "
    "hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p"
).split()
for _name in _FORWARD_ALONE:
    globals()[_name] = _forward_alone(_name)

__all__ = sorted(
    (
        "bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfcx erfinv exp2 expit "
        "expm1 gammainc gammaincc gammaln i0 i0e i1 i1e log1p log_ndtr log_softmax logit "
        "logsumexp modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 "
        "multigammaln ndtr ndtri polygamma psi round sinc softmax xlog1py xlogy zeta"
    ).split()
    + _FORWARD_ALONE
)
