"""`Wishart`: covariances of normal vectors, as they come out of a few samples."""

import math
from warnings import warn

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.chi2 import Chi2
from glowgrad.distributions.exp_family import ExponentialFamily
from glowgrad.distributions.multivariate_normal import (
    _identity, _log_diagonal, _precision_to_scale_tril, _solved,
)
from glowgrad.distributions.utils import lazy_property

__all__ = ["Wishart"]
_LOG_2 = math.log(2)


def _log_gamma(a, p):
    """The logarithm of the multivariate gamma function."""
    import glowgrad

    return glowgrad.mvlgamma(a, p)


def _digamma(a, p):
    """The derivative of the logarithm of the multivariate gamma function."""
    import glowgrad

    halves = _C.arange(0, p, 1, a.dtype, False).to(a.device) / 2
    return glowgrad.digamma(a.unsqueeze(-1) - halves).sum(-1)


def _solved_twice(lower, right):
    """(L Lᵀ)⁻¹ times the right side."""
    half = _solved(lower, right)
    flipped = lower.transpose(-2, -1).flip((-2, -1))
    return _solved(flipped, half.flip(-2)).flip(-2)


class Wishart(ExponentialFamily):
    """Covariances of normal vectors as they come out of `df` samples.

    >>> torch.distributions.Wishart(torch.tensor(3.0), covariance_matrix=torch.eye(2)).mean
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        """Which values its arguments may have.

        >>> w = torch.distributions.Wishart(torch.tensor(3.0), covariance_matrix=torch.eye(2))
        >>> sorted(w.arg_constraints)
        """
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None,
                 validate_args=None):
        given = [x for x in (covariance_matrix, scale_tril, precision_matrix) if x is not None]
        if len(given) != 1:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        param = given[0]
        if param.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        if isinstance(df, TensorBase):
            from glowgrad import broadcast_shapes

            batch_shape = broadcast_shapes(param.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        else:
            batch_shape = Size(param.shape[:-2])
            self.df = _C.full((), df, param.dtype, False).to(param.device)
        event_shape = Size(param.shape[-2:])
        p = event_shape[-1]
        if (self.df <= p - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {p - 1}.")
        whole = param.expand(tuple(batch_shape) + tuple(event_shape))
        if scale_tril is not None:
            self.scale_tril = whole
        elif covariance_matrix is not None:
            self.covariance_matrix = whole
        else:
            self.precision_matrix = whole
        if (self.df < p).any():
            warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 "
                "< df < ndim."
            )
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._batch_dims = [-(x + 1) for x in range(len(batch_shape))]
        if scale_tril is not None:
            self._unbroadcasted_scale_tril = param
        elif covariance_matrix is not None:
            self._unbroadcasted_scale_tril = _C.cholesky(param)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(param)
        self._dist_chi2 = self._chi2()

    def _chi2(self):
        factor = self._unbroadcasted_scale_tril
        lower = _C.arange(0, factor.shape[-1], 1, factor.dtype, False).to(factor.device)
        return Chi2(self.df.unsqueeze(-1) - lower.expand(tuple(self.df.shape) + (-1,)))

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Wishart, _instance)
        batch_shape = Size(batch_shape)
        shape = tuple(batch_shape) + tuple(self.event_shape)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand(shape)
        new.df = self.df.expand(batch_shape)
        new._batch_dims = [-(x + 1) for x in range(len(batch_shape))]
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            if name in self.__dict__:
                setattr(new, name, getattr(self, name).expand(shape))
        new._dist_chi2 = new._chi2()
        super(Wishart, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _whole(self, matrix):
        return matrix.expand(tuple(self._batch_shape) + tuple(self._event_shape))

    @lazy_property
    def scale_tril(self):
        return self._whole(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        factor = self._unbroadcasted_scale_tril
        return self._whole(factor @ factor.transpose(-2, -1))

    @lazy_property
    def precision_matrix(self):
        factor = self._unbroadcasted_scale_tril
        return self._whole(_solved_twice(factor, _identity(factor)))

    def _freedom(self, df):
        return df.reshape(tuple(self._batch_shape) + (1, 1))

    @property
    def mean(self):
        return self._freedom(self.df) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = _C.where(factor <= 0, float("nan"), factor)
        return self._freedom(factor) * self.covariance_matrix

    @property
    def variance(self):
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._freedom(self.df) * (covariance.pow(2) + products)

    def _drawn(self, sample_shape):
        """Samples by Bartlett's triangles: chi-squared on the diagonal, normal numbers below."""
        p = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        least = {"float64": 2.0**-52, "float32": 2.0**-23}.get(roots.dtype.name, 2.0**-10)
        noise = roots.clamp(min=least).diag_embed(dim1=-2, dim2=-1)
        below = tuple(sample_shape) + tuple(self._batch_shape) + (p * (p - 1) // 2,)
        numbers = _C.randn(below, noise.dtype, False, None).to(noise.device)
        row, column = _C.triangle_indices(p, p, -1, False, None)
        flat = _C.full(below[:-1] + (p * p,), 0, noise.dtype, False).to(noise.device)
        places = (row * p + column).expand(below)
        noise = noise + flat.scatter(-1, places, numbers).reshape(noise.shape)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.transpose(-2, -1)

    def rsample(self, sample_shape=Size(), max_try_correction=None):
        """Samples through which gradients flow.

        >>> w = torch.distributions.Wishart(torch.tensor(3.0), covariance_matrix=torch.eye(2))
        >>> w.rsample((4,)).shape
        """
        sample = self._drawn(Size(sample_shape))
        again = self._valid(sample)
        if not again.any():
            return sample
        # As PyTorch does it: what is positive definite is drawn once more, with these words.
        warn("Singular sample detected.")
        for _ in range(10 if max_try_correction is None else max_try_correction):
            new = self._drawn(again[again].shape)
            if again.ndim:
                sample = sample.index_put((again,), new)
            else:
                sample = new[0]
            missed = ~self._valid(new)
            if not missed.any():
                break
            again = again.index_put((again.clone(),), missed) if again.ndim else missed[0]
        return sample

    def _valid(self, sample):
        before = _C.set_grad_enabled(False)
        try:
            valid = self.support.check(sample)
            return valid.amax(self._batch_dims) if self._batch_shape else valid
        finally:
            _C.set_grad_enabled(before)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        factor = self._unbroadcasted_scale_tril
        import glowgrad

        trace = _solved_twice(factor, value).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (
            -nu * (p * _LOG_2 / 2 + _log_diagonal(factor)) - _log_gamma(nu / 2, p)
            + (nu - p - 1) / 2 * glowgrad.slogdet(value)[1] - trace / 2
        )

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        return (
            (p + 1) * (p * _LOG_2 / 2 + _log_diagonal(self._unbroadcasted_scale_tril))
            + _log_gamma(nu / 2, p) - (nu - p - 1) / 2 * _digamma(nu / 2, p) + nu * p / 2
        )

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        import glowgrad

        p = self._event_shape[-1]
        a = y + (p + 1) / 2
        return a * (_LOG_2 * p - glowgrad.slogdet(-2 * x)[1]) + _log_gamma(a, p)
