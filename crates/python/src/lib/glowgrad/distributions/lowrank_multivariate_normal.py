"""`LowRankMultivariateNormal`: vectors of normal numbers that few factors tie together."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.multivariate_normal import (
    _batch_mahalanobis, _batch_mv, _identity, _log_diagonal, _solved,
)
from glowgrad.distributions.utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _capacitance_tril(factor, diagonal):
    capacitance = (factor.mT / diagonal.unsqueeze(-2)) @ factor
    return _C.cholesky(capacitance + _identity(capacitance))


def _lowrank_logdet(diagonal, capacitance_tril):
    return 2 * _log_diagonal(capacitance_tril) + diagonal.log().sum(-1)


def _lowrank_mahalanobis(factor, diagonal, x, capacitance_tril):
    along = _batch_mv(factor.mT / diagonal.unsqueeze(-2), x)
    return (x.pow(2) / diagonal).sum(-1) - _batch_mahalanobis(capacitance_tril, along)


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors with covariance `W @ W.T + diag(d)`, W being `cov_factor`.

    >>> D = torch.distributions
    >>> d = D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))
    >>> d.covariance_matrix
    """

    arg_constraints = {
        "loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        from glowgrad import broadcast_shapes

        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.ndim < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(
                f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m"
            )
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            shape = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                f"cov_diag {cov_diag.shape}"
            ) from error
        self.loc = loc.expand(shape + event_shape)
        self.cov_factor = cov_factor.expand(shape + cov_factor.shape[-2:])
        self.cov_diag = cov_diag.expand(shape + event_shape)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _capacitance_tril(cov_factor, cov_diag)
        super().__init__(shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape = Size(batch_shape)
        shape = batch_shape + self._event_shape
        return self._expanded(
            LowRankMultivariateNormal, _instance, batch_shape, (), loc=self.loc.expand(shape),
            cov_diag=self.cov_diag.expand(shape),
            cov_factor=self.cov_factor.expand(shape + self.cov_factor.shape[-1:]),
            _unbroadcasted_cov_factor=self._unbroadcasted_cov_factor,
            _unbroadcasted_cov_diag=self._unbroadcasted_cov_diag,
            _capacitance_tril=self._capacitance_tril,
        )

    def _grown(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        squares = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return squares.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance.

        >>> D = torch.distributions
        >>> D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).scale_tril
        """
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        product = scaled @ scaled.mT
        return self._grown(root * _C.cholesky(product + _identity(product)))

    @lazy_property
    def covariance_matrix(self):
        """The covariance of the elements.

        >>> D = torch.distributions
        >>> d = D.LowRankMultivariateNormal(torch.zeros(1), torch.ones(1, 1), torch.ones(1))
        >>> d.covariance_matrix
        """
        factor = self._unbroadcasted_cov_factor
        return self._grown(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance.

        >>> D = torch.distributions
        >>> d = D.LowRankMultivariateNormal(torch.zeros(1), torch.ones(1, 1), torch.ones(1))
        >>> d.precision_matrix
        """
        diagonal = self._unbroadcasted_cov_diag
        along = _solved(
            self._capacitance_tril, self._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2)
        )
        return self._grown(diagonal.reciprocal().diag_embed() - along.mT @ along)

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        dtype, device = self.loc.dtype, self.loc.device
        factors = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], dtype, device)
        noise = _standard_normal(shape, dtype, device)
        return (
            self.loc + _batch_mv(self._unbroadcasted_cov_factor, factors)
            + self._unbroadcasted_cov_diag.sqrt() * noise
        )

    def log_prob(self, value):
        self._check(value)
        squares = _lowrank_mahalanobis(
            self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, value - self.loc,
            self._capacitance_tril,
        )
        volume = _lowrank_logdet(self._unbroadcasted_cov_diag, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + volume + squares)

    def entropy(self):
        volume = _lowrank_logdet(self._unbroadcasted_cov_diag, self._capacitance_tril)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + volume)
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
