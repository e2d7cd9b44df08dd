"""`Chi2`: sums of squares of normal numbers."""

from glowgrad.distributions import constraints
from glowgrad.distributions.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-squared distribution with `df` degrees of freedom.

    >>> torch.distributions.Chi2(torch.tensor(3.0)).mean
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self):
        """The degrees of freedom.

        >>> torch.distributions.Chi2(torch.tensor(3.0)).df
        """
        return self.concentration * 2
