"""`Distribution`: what every distribution has."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._place import Size
from glowgrad.autograd.grad_mode import no_grad
from glowgrad.distributions import constraints
from glowgrad.distributions.utils import lazy_property

__all__ = ["Distribution"]


def _all(valid):
    """Whether a check of values holds everywhere; a step that is captured has no values yet."""
    return _C.is_capturing() or bool(_C.quietly(lambda: valid().all()))


class Distribution:
    """A distribution of random numbers: what all have, with `batch_shape` and `event_shape`.

    >>> issubclass(torch.distributions.Normal, torch.distributions.Distribution)
    """

    __module__ = "torch.distributions.distribution"
    has_rsample = False
    has_enumerate_support = False
    _validate_args = True

    def __init_subclass__(cls):
        # Shown by PyTorch's name.
        if cls.__module__.startswith("glowgrad."):
            cls.__module__ = "torch." + cls.__module__[len("glowgrad."):]

    @staticmethod
    def set_default_validate_args(value):
        """Whether distributions check their arguments, unless they are told with `validate_args=`.

        >>> torch.distributions.Distribution.set_default_validate_args(True)
        """
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=Size(), event_shape=Size(), validate_args=None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            from warnings import warn

            wanted = {}
            warn(f"{type(self)} does not define `arg_constraints`. Please set "
                 "`arg_constraints = {}` or initialize the distribution with "
                 "`validate_args=False` to turn off validation.")
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            own = getattr(type(self), name, None)
            if name not in self.__dict__ and isinstance(own, lazy_property):
                continue
            value = getattr(self, name)
            if not _all(lambda: constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape, _instance=None):
        """The distribution with its parameters expanded to a batch shape.

        >>> torch.distributions.Normal(0.0, 1.0).expand((2,)).batch_shape
        """
        raise NotImplementedError

    @property
    def batch_shape(self):
        """How many distributions there are, as a shape.

        >>> torch.distributions.Normal(torch.zeros(3), 1.0).batch_shape
        """
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of a single draw.

        >>> torch.distributions.Dirichlet(torch.ones(3)).event_shape
        """
        return self._event_shape

    @property
    def arg_constraints(self):
        """What the parameters must satisfy, by name.

        >>> torch.distributions.Normal.arg_constraints
        """
        raise NotImplementedError

    @property
    def support(self):
        """What the draws satisfy.

        >>> torch.distributions.Bernoulli(0.5).support
        """
        raise NotImplementedError

    @property
    def mean(self):
        """The mean.

        >>> torch.distributions.Uniform(0.0, 4.0).mean
        """
        raise NotImplementedError

    @property
    def mode(self):
        """The likeliest value.

        >>> torch.distributions.Gamma(3.0, 1.0).mode
        """
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self):
        """The variance.

        >>> torch.distributions.Exponential(2.0).variance
        """
        raise NotImplementedError

    @property
    def stddev(self):
        """The standard deviation.

        >>> torch.distributions.Normal(0.0, 3.0).stddev
        """
        return self.variance.sqrt()

    def sample(self, sample_shape=Size()):
        """Draws numbers, off the tape.

        >>> torch.distributions.Normal(0.0, 1.0).sample((2,))
        """
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=Size()):
        """Draws numbers that have a gradient with respect to the parameters.

        >>> scale = torch.tensor(2.0, requires_grad=True)
        >>> torch.distributions.Normal(0.0, scale).rsample((2,))
        """
        raise NotImplementedError

    def sample_n(self, n):
        """`sample((n,))`, by its old name.

        >>> torch.distributions.Normal(0.0, 1.0).sample_n(2)
        """
        return self.sample(Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density, or of the probability, at a value.

        >>> torch.distributions.Normal(0.0, 1.0).log_prob(torch.tensor(0.0))
        """
        raise NotImplementedError

    def cdf(self, value):
        """The probability of what is not above a value.

        >>> torch.distributions.Normal(0.0, 1.0).cdf(torch.tensor(0.0))
        """
        raise NotImplementedError

    def icdf(self, value):
        """The value that is not exceeded with this probability.

        >>> torch.distributions.Normal(0.0, 1.0).icdf(torch.tensor(0.975))
        """
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """Every value of a discrete distribution, along the first dimension.

        >>> torch.distributions.Categorical(torch.ones(3)).enumerate_support()
        """
        raise NotImplementedError

    def entropy(self):
        """The entropy, in nats.

        >>> torch.distributions.Bernoulli(0.5).entropy()
        """
        raise NotImplementedError

    def perplexity(self):
        """`exp` of the entropy.

        >>> torch.distributions.Categorical(torch.ones(4)).perplexity()
        """
        return self.entropy().exp()

    def _extended_shape(self, sample_shape=Size()):
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _validate_sample(self, value):
        """Raises where a value is not of a shape or not among the values of the distribution."""
        if not isinstance(value, TensorBase):
            raise ValueError("The value argument to log_prob must be a Tensor")
        actual, wanted = value.shape, self._batch_shape + self._event_shape
        if actual[len(actual) - len(self._event_shape):] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{actual} vs {self._event_shape}."
            )
        for i, j in zip(reversed(actual), reversed(wanted)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    "Value is not broadcastable with batch_shape+event_shape: "
                    f"{actual} vs {wanted}."
                )
        try:
            support = self.support
        except NotImplementedError:
            from warnings import warn

            warn(f"{type(self)} does not define `support` to enable sample validation. Please "
                 "initialize the distribution with `validate_args=False` to turn off validation.")
            return
        if not _all(lambda: support.check(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) of the distribution {self!r}, but found "
                f"invalid values:\n{value}"
            )

    def _check(self, value):
        if self._validate_args:
            self._validate_sample(value)

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ "
                "method must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def _expanded(self, cls, _instance, batch_shape, names, event_shape=None, **more):
        """A distribution with these parameters expanded, and with `more` attributes."""
        new = self._get_checked_instance(cls, _instance)
        batch_shape = Size(batch_shape)
        for name in names:
            if name in self.__dict__:
                value = self.__dict__[name]
                shape = batch_shape + value.shape[value.ndim - self._param_dims:]
                new.__dict__[name] = value.expand(shape)
                if self.__dict__.get("_param") is value:
                    new._param = new.__dict__[name]
        new.__dict__.update(more)
        event_shape = self._event_shape if event_shape is None else event_shape
        Distribution.__init__(new, batch_shape, event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    # How many dimensions of a parameter belong to one distribution.
    _param_dims = 0

    def __repr__(self):
        parts = []
        for name in self.arg_constraints:
            if name in self.__dict__:
                value = self.__dict__[name]
                parts.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(parts)})"
