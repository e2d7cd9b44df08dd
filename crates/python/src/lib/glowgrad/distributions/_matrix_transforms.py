"""Transforms to shares that sum to 1 and to matrices; and transforms of parts of a tensor."""

import math

import _glowgrad as _C
from glowgrad.distributions import constraints
from glowgrad.distributions._elementwise_transforms import _clipped_sigmoid
from glowgrad.distributions.transforms import Transform, _Like
from glowgrad.distributions.utils import (
    _limits, _sum_rightmost, tril_matrix_to_vec, vec_to_tril_matrix,
)


def _padded(x, before, after):
    """1 before or after the elements of the last dimension."""
    return _C.pad(x, [before, after], value=1.0)


def _needs_dims(shape, least=1):
    if len(shape) < least:
        raise ValueError("Too few dimensions on input")


class CorrCholeskyTransform(Transform):
    """Vectors of real numbers as Cholesky factors of correlation matrices.

    >>> torch.distributions.CorrCholeskyTransform()(torch.zeros(1))
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        eps = _limits(x).eps
        r = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        rest = (1 - r ** 2).sqrt().cumprod(-1)
        n = r.shape[-1]
        r = r + _C.eye(n, n, r.dtype, False).to(r.device)
        return r * _padded(rest[..., :-1], 1, 0)

    def _inverse(self, y):
        rest = _padded((1 - (y * y).cumsum(-1))[..., :-1], 1, 0)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(rest, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        rest = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        tanh = -2 * (x + _C.softplus(-2 * x) - math.log(2.0)).sum(-1)
        return 0.5 * rest.log().sum(-1) + tanh

    def forward_shape(self, shape):
        _needs_dims(shape)
        n = shape[-1]
        size = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (size, size)

    def inverse_shape(self, shape):
        _needs_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class SoftmaxTransform(_Like):
    """y = softmax(x), whose inverse is the logarithm.

    >>> torch.distributions.SoftmaxTransform()(torch.zeros(2))
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x):
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        _needs_dims(shape)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(_Like):
    """Real numbers as shares that sum to 1: each breaks its part off what is left.

    >>> torch.distributions.StickBreakingTransform()(torch.zeros(2))
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _left(self, x, count):
        """How many parts are left, before each."""
        return count - x.new_ones(x.shape[-1]).cumsum(-1)

    def _call(self, x):
        offset = self._left(x, x.shape[-1] + 1)
        z = _clipped_sigmoid(x - offset.log())
        return _padded(z, 0, 1) * _padded((1 - z).cumprod(-1), 1, 0)

    def _inverse(self, y):
        cropped = y[..., :-1]
        offset = self._left(cropped, y.shape[-1])
        rest = (1 - cropped.cumsum(-1)).clamp(min=_limits(y).tiny)
        return cropped.log() - rest.log() + offset.log()

    def log_abs_det_jacobian(self, x, y):
        x = x - self._left(x, x.shape[-1] + 1).log()
        return (-x + _C.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        _needs_dims(shape)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        _needs_dims(shape)
        return shape[:-1] + (shape[-1] - 1,)


class LowerCholeskyTransform(_Like):
    """Matrices as lower triangular ones with a positive diagonal.

    >>> torch.distributions.LowerCholeskyTransform()(torch.zeros(2, 2))
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Like):
    """Matrices as positive definite ones.

    >>> torch.distributions.PositiveDefiniteTransform()(torch.zeros(2, 2))
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x):
        x = LowerCholeskyTransform()(x)
        return x @ x.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(_C.cholesky(y))


class CatTransform(Transform):
    """A transform for each stretch of a dimension.

    >>> torch.distributions.CatTransform([torch.distributions.ExpTransform()] * 2)(torch.zeros(2))
    """

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        if not all([isinstance(each, Transform) for each in tseq]):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) if cache_size else t for t in tseq]
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})"
            )
        self.dim = dim

    @property
    def event_dim(self):
        return max([t.event_dim for t in self.transforms])

    @property
    def length(self):
        """The length of all stretches together.

        >>> torch.distributions.CatTransform([torch.distributions.ExpTransform()] * 2).length
        """
        return sum(self.lengths)

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, x):
        if not -x.ndim <= self.dim < x.ndim:
            raise AssertionError(
                f"dim {self.dim} out of range for tensor with {x.ndim} dimensions"
            )
        if x.size(self.dim) != self.length:
            raise AssertionError(
                f"x.size({self.dim}) = {x.size(self.dim)} must equal length {self.length}"
            )
        return x.split(self.lengths, self.dim)

    def _call(self, x):
        return _C.cat([t(part) for t, part in zip(self.transforms, self._parts(x))], self.dim)

    def _inverse(self, y):
        return _C.cat([t.inv(part) for t, part in zip(self.transforms, self._parts(y))], self.dim)

    def log_abs_det_jacobian(self, x, y):
        stretches = [
            _sum_rightmost(t.log_abs_det_jacobian(a, b), self.event_dim - t.event_dim)
            for t, a, b in zip(self.transforms, self._parts(x), self._parts(y))
        ]
        dim = self.dim - x.ndim if self.dim >= 0 else self.dim
        dim += self.event_dim
        return _C.cat(stretches, dim) if dim < 0 else sum(stretches)

    @property
    def bijective(self):
        return all([t.bijective for t in self.transforms])

    @constraints.dependent_property
    def domain(self):
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(Transform):
    """A transform for each slice of a dimension.

    >>> torch.distributions.StackTransform([torch.distributions.ExpTransform()] * 2)(torch.zeros(2))
    """

    def __init__(self, tseq, dim=0, cache_size=0):
        if not all([isinstance(each, Transform) for each in tseq]):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) if cache_size else t for t in tseq]
        self.dim = dim

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return StackTransform(self.transforms, self.dim, cache_size)

    def _parts(self, x):
        if not -x.ndim <= self.dim < x.ndim:
            raise AssertionError(
                f"dim {self.dim} out of range for tensor with {x.ndim} dimensions"
            )
        if x.size(self.dim) != len(self.transforms):
            raise AssertionError(
                f"x.size({self.dim}) = {x.size(self.dim)} must equal len(transforms) "
                f"{len(self.transforms)}"
            )
        return x.unbind(self.dim)

    def _call(self, x):
        return _C.stack([t(part) for t, part in zip(self.transforms, self._parts(x))], self.dim)

    def _inverse(self, y):
        return _C.stack([t.inv(part) for t, part in zip(self.transforms, self._parts(y))], self.dim)

    def log_abs_det_jacobian(self, x, y):
        return _C.stack([
            t.log_abs_det_jacobian(a, b)
            for t, a, b in zip(self.transforms, self._parts(x), self._parts(y))
        ], self.dim)

    @property
    def bijective(self):
        return all([t.bijective for t in self.transforms])

    @constraints.dependent_property
    def domain(self):
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        return constraints.stack([t.codomain for t in self.transforms], self.dim)


class CumulativeDistributionTransform(Transform):
    """The `cdf` of a distribution.

    >>> normal = torch.distributions.Normal(0.0, 1.0)
    >>> torch.distributions.transforms.CumulativeDistributionTransform(normal)(torch.tensor(0.0))
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self):
        """What the draws of the distribution satisfy.

        >>> normal = torch.distributions.Normal(0.0, 1.0)
        >>> torch.distributions.transforms.CumulativeDistributionTransform(normal).domain
        """
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
