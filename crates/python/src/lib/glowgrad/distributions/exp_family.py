"""`ExponentialFamily`: distributions whose entropy follows from the normalizer of their density."""

from glowgrad.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution whose density is exp of natural parameters times statistics, normalized.

    >>> issubclass(torch.distributions.Gamma, torch.distributions.ExponentialFamily)
    """

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        from glowgrad.autograd import grad

        params = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*params)
        slopes = grad(normalizer.sum(), params, create_graph=True)
        result = -self._mean_carrier_measure + normalizer
        for param, slope in zip(params, slopes):
            result = result - (param * slope).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
