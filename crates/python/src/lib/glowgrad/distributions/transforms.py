"""Functions of random numbers that can be undone, with the volume that they stretch."""

from functools import reduce
from operator import add

from glowgrad._later import _later
from glowgrad._place import Size
from glowgrad.distributions import constraints
from glowgrad.distributions.utils import _sum_rightmost, lazy_property

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform",
    "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]


class Transform:
    """A function of tensors with its inverse and the logarithm of how much it stretches.

    >>> issubclass(torch.distributions.ExpTransform, torch.distributions.Transform)
    """

    bijective = False

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size, self._inv = cache_size, None
        self._cached_x_y = (None, None)

    @property
    def event_dim(self):
        """How many dimensions belong to one event.

        >>> torch.distributions.ExpTransform().event_dim
        """
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self):
        """The inverse.

        >>> torch.distributions.ExpTransform().inv(torch.tensor(1.0))
        """
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self):
        """1 for a function that rises, -1 for one that falls.

        >>> torch.distributions.AffineTransform(0.0, -2.0).sign
        """
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        """The transform, which remembers the last value that it was called with.

        >>> torch.distributions.ExpTransform().with_cache()
        """
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return not self.__eq__(other)

    __hash__ = None

    def __call__(self, x):
        if self._cache_size == 0:
            return self._call(x)
        if x is self._cached_x_y[0]:
            return self._cached_x_y[1]
        y = self._call(x)
        self._cached_x_y = (x, y)
        return y

    def _inv_call(self, y):
        if self._cache_size == 0:
            return self._inverse(y)
        if y is self._cached_x_y[1]:
            return self._cached_x_y[0]
        x = self._inverse(y)
        self._cached_x_y = (x, y)
        return x

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """The logarithm of how much the transform stretches at x, which it takes to y.

        >>> x = torch.tensor(2.0)
        >>> torch.distributions.ExpTransform().log_abs_det_jacobian(x, x.exp())
        """
        raise NotImplementedError

    def __repr__(self):
        return type(self).__name__ + "()"

    def forward_shape(self, shape):
        """The shape of what the transform makes of a shape.

        >>> torch.distributions.StickBreakingTransform().forward_shape((2,))
        """
        return shape

    def inverse_shape(self, shape):
        """The shape of what the inverse makes of a shape.

        >>> torch.distributions.StickBreakingTransform().inverse_shape((3,))
        """
        return shape


class _Like(Transform):
    """A transform without parameters: one is equal to another of its class."""

    def __eq__(self, other):
        return isinstance(other, type(self))


class _InverseTransform(Transform):
    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._inv.domain

    @property
    def bijective(self):
        return self._inv.bijective

    @property
    def sign(self):
        return self._inv.sign

    @property
    def inv(self):
        return self._inv

    def with_cache(self, cache_size=1):
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """Transforms one after the other.

    >>> torch.distributions.ComposeTransform([torch.distributions.ExpTransform()])(torch.zeros(2))
    """

    def __init__(self, parts, cache_size=0):
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def _side(self, parts, near, far):
        """The domain of the first part, or the codomain of the last, with the events of all."""
        if not parts:
            return constraints.real
        side = near(parts[0])
        dims = far(parts[-1]).event_dim
        for part in reversed(parts):
            dims += near(part).event_dim - far(part).event_dim
            dims = max(dims, near(part).event_dim)
        more = dims - side.event_dim
        return constraints.independent(side, more) if more > 0 else side

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._side(self.parts, lambda part: part.domain, lambda part: part.codomain)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        parts = self.parts[::-1]
        return self._side(parts, lambda part: part.codomain, lambda part: part.domain)

    @lazy_property
    def bijective(self):
        """Whether every part can be undone.

        >>> torch.distributions.ComposeTransform([torch.distributions.AbsTransform()]).bijective
        """
        return all([part.bijective for part in self.parts])

    @lazy_property
    def sign(self):
        return reduce(lambda sign, part: sign * part.sign, self.parts, 1)

    @property
    def inv(self):
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def with_cache(self, cache_size=1):
        same = self._cache_size == cache_size
        return self if same else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return x.detach() * 0
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms, dims = [], self.domain.event_dim
        for part, a, b in zip(self.parts, values[:-1], values[1:]):
            stretch = part.log_abs_det_jacobian(a, b)
            terms.append(_sum_rightmost(stretch, dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        return reduce(add, terms)

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        parts = ",\n    ".join([repr(part) for part in self.parts])
        return f"{type(self).__name__}(\n    {parts}\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform that takes dimensions of the batch as dimensions of the event.

    >>> exp = torch.distributions.ExpTransform()
    >>> torch.distributions.IndependentTransform(exp, 1).event_dim
    """

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(
            self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size
        )

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self):
        return self.base_transform.bijective

    @property
    def sign(self):
        return self.base_transform.sign

    def _call(self, x):
        if x.ndim < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y):
        if y.ndim < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        stretch = self.base_transform.log_abs_det_jacobian(x, y)
        return _sum_rightmost(stretch, self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Events of one shape in another.

    >>> torch.distributions.transforms.ReshapeTransform((4,), (2, 2))(torch.arange(4.0))
    """

    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self):
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x):
        return x.reshape(x.shape[:x.ndim - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[:y.ndim - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[:x.ndim - len(self.in_shape)])

    def forward_shape(self, shape):
        return _swapped(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return _swapped(shape, self.out_shape, self.in_shape)


def _swapped(shape, before, after):
    if len(shape) < len(before):
        raise ValueError("Too few dimensions on input")
    cut = len(shape) - len(before)
    if shape[cut:] != before:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {before}")
    return shape[:cut] + after


# Loaded when first asked for.
_LATER = {
    "_elementwise_transforms": (
        "AbsTransform", "AffineTransform", "ExpTransform", "PowerTransform", "SigmoidTransform",
        "SoftplusTransform", "TanhTransform",
    ),
    "_matrix_transforms": (
        "CatTransform", "CorrCholeskyTransform", "CumulativeDistributionTransform",
        "LowerCholeskyTransform", "PositiveDefiniteTransform", "SoftmaxTransform", "StackTransform",
        "StickBreakingTransform",
    ),
}
__getattr__, __dir__ = _later(__name__, _LATER, "glowgrad.distributions")
