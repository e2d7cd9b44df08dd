"""From real numbers to what satisfies a constraint: `biject_to` and `transform_to`."""

from glowgrad.distributions import constraints, transforms
from glowgrad.distributions.utils import _Number

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Says which transform leads to which constraint.

    >>> torch.distributions.transform_to(torch.distributions.constraints.positive)
    """

    def __init__(self):
        self._registry = {}

    def register(self, constraint, factory=None):
        """Adds a function that gives the transform for a kind of constraint.

        >>> registry = torch.distributions.constraint_registry.ConstraintRegistry()
        >>> exp = torch.distributions.ExpTransform()
        >>> registry.register(torch.distributions.constraints.positive, lambda constraint: exp)
        >>> registry(torch.distributions.constraints.positive)
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, but got "
                f"{constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint):
        kind = type(constraint)
        if kind not in self._registry:
            raise NotImplementedError(f"Cannot transform {kind.__name__} constraints")
        return self._registry[kind](constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _register(registries, kinds, factory):
    for registry in registries:
        for kind in kinds:
            registry.register(kind, factory)


def _interval(constraint):
    lower, upper = constraint.lower_bound, constraint.upper_bound
    if isinstance(lower, _Number) and isinstance(upper, _Number) and (lower, upper) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([
        transforms.SigmoidTransform(), transforms.AffineTransform(lower, upper - lower),
    ])


def _beyond(name, direction):
    def factory(constraint):
        return transforms.ComposeTransform([
            transforms.ExpTransform(),
            transforms.AffineTransform(getattr(constraint, name), direction),
        ])

    return factory


_both = (biject_to, transform_to)
_register(_both, [constraints.real], lambda c: transforms.identity_transform)
_register(
    _both, [constraints.greater_than, constraints.greater_than_eq], _beyond("lower_bound", 1)
)
_register(_both, [constraints.less_than], _beyond("upper_bound", -1))
_register(_both, [constraints.interval, constraints.half_open_interval], _interval)
_register(
    _both, [constraints.corr_cholesky], lambda c: transforms.CorrCholeskyTransform()
)
_register([biject_to], [constraints.simplex], lambda c: transforms.StickBreakingTransform())
_register([transform_to], [constraints.simplex], lambda c: transforms.SoftmaxTransform())
_register(
    [transform_to], [constraints.lower_cholesky], lambda c: transforms.LowerCholeskyTransform()
)
_register(
    [transform_to], [constraints.positive_definite, constraints.positive_semidefinite],
    lambda c: transforms.PositiveDefiniteTransform(),
)
for _registry in _both:
    _registry.register(constraints.independent, lambda c, to=_registry: (
        transforms.IndependentTransform(to(c.base_constraint), c.reinterpreted_batch_ndims)
    ))
    _registry.register(constraints.cat, lambda c, to=_registry: (
        transforms.CatTransform([to(part) for part in c.cseq], c.dim, c.lengths)
    ))
    _registry.register(constraints.stack, lambda c, to=_registry: (
        transforms.StackTransform([to(part) for part in c.cseq], c.dim)
    ))
