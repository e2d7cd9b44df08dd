"""`MultivariateNormal`: vectors of normal numbers that depend on each other."""

import math

import _glowgrad as _C
from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def _batch_mv(matrix, vector):
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def _solved(lower, right):
    """What a lower triangular matrix takes to the right side."""
    if hasattr(_C, "solve_triangular"):
        return _C.solve_triangular(lower, right, upper=False)
    from glowgrad import broadcast_shapes

    shape = broadcast_shapes(lower.shape[:-2], right.shape[:-2])
    return _C.solve(
        lower.expand(shape + lower.shape[-2:]), right.expand(shape + right.shape[-2:])
    )


def _batch_mahalanobis(lower, x):
    """The squared length of x, measured by L Lᵀ."""
    return _solved(lower, x.unsqueeze(-1)).squeeze(-1).pow(2).sum(-1)


def _identity(like):
    n = like.shape[-1]
    return _C.eye(n, n, like.dtype, False).to(like.device)


def _precision_to_scale_tril(precision):
    flipped = _C.cholesky(precision.flip((-2, -1)))
    inverse = flipped.flip((-2, -1)).transpose(-2, -1)
    return _solved(inverse, _identity(precision))


def _log_diagonal(lower):
    return lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors, by a covariance, a precision or a Cholesky factor.

    >>> torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2)).sample().shape
    """

    arg_constraints = {
        "loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None,
                 validate_args=None):
        from glowgrad import broadcast_shapes

        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {
            "covariance_matrix": covariance_matrix, "scale_tril": scale_tril,
            "precision_matrix": precision_matrix,
        }
        given = [(name, matrix) for name, matrix in given.items() if matrix is not None]
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        ((name, matrix),) = given
        if matrix.ndim < 2:
            title = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{title} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + matrix.shape[-2:]))
        self.loc = loc.expand(batch_shape + loc.shape[-1:])
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = _C.cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)

    def expand(self, batch_shape, _instance=None):
        batch_shape = Size(batch_shape)
        more = {
            name: self.__dict__[name].expand(batch_shape + self._event_shape * 2)
            for name in ("covariance_matrix", "scale_tril", "precision_matrix")
            if name in self.__dict__
        }
        return self._expanded(
            MultivariateNormal, _instance, batch_shape, (),
            loc=self.loc.expand(batch_shape + self._event_shape),
            _unbroadcasted_scale_tril=self._unbroadcasted_scale_tril, **more,
        )

    def _grown(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance.

        >>> torch.distributions.MultivariateNormal(torch.zeros(2), 4 * torch.eye(2)).scale_tril
        """
        return self._grown(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """The covariance of the elements.

        >>> D = torch.distributions
        >>> D.MultivariateNormal(torch.zeros(2), scale_tril=2 * torch.eye(2)).covariance_matrix
        """
        lower = self._unbroadcasted_scale_tril
        return self._grown(lower @ lower.mT)

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance.

        >>> D = torch.distributions
        >>> D.MultivariateNormal(torch.zeros(2), 4 * torch.eye(2)).precision_matrix
        """
        inverse = _solved(self._unbroadcasted_scale_tril, _identity(self.loc))
        return self._grown(inverse.mT @ inverse)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=Size()):
        shape = self._extended_shape(sample_shape)
        drawn = _standard_normal(shape, self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, drawn)

    def log_prob(self, value):
        self._check(value)
        squares = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        volume = _log_diagonal(self._unbroadcasted_scale_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squares) - volume

    def entropy(self):
        volume = _log_diagonal(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + volume
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
