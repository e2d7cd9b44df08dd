"""`kl_divergence`: how far one distribution is from another, where a formula is known.

The formulas are found by the names of classes, so that no distribution is loaded for them; those
that `register_kl` adds come first.
"""

import math

import _glowgrad as _C
from glowgrad.distributions.distribution import Distribution
from glowgrad.distributions.utils import _filled, _sum_rightmost, euler_constant

__all__ = ["kl_divergence", "register_kl"]

_registered = {}
# The formulas of this file, by the names of both classes.
_formulas = {}


def register_kl(type_p, type_q):
    """Says that a function gives the divergence of two kinds of distributions.

    >>> class Fixed(torch.distributions.Normal):
    >>>     pass
    >>> decorate = torch.distributions.register_kl(Fixed, Fixed)
    >>> formula = decorate(lambda p, q: p.loc - q.loc)
    >>> torch.distributions.kl_divergence(Fixed(3.0, 1.0), Fixed(1.0, 1.0))
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type) or not issubclass(kind, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(function):
        _registered[type_p, type_q] = function
        return function

    return decorator


def kl_divergence(p, q):
    """The Kullback–Leibler divergence of q from p.

    >>> D = torch.distributions
    >>> D.kl_divergence(D.Normal(1.0, 1.0), D.Normal(0.0, 1.0))
    """
    function = _found(type(p), type(q))
    if function is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
            f"{type(q).__name__}"
        )
    return function(p, q)


def _found(type_p, type_q):
    """The formula of the nearest ancestors of both classes."""
    own = (type_p.__name__, type_q.__name__)
    if own not in _formulas and (type_p, type_q) not in _registered:
        # The rest of the formulas.
        from glowgrad.distributions import _kl_special
    best = None
    for i, p in enumerate(type_p.__mro__):
        for k, q in enumerate(type_q.__mro__):
            function = _registered.get((p, q))
            if function is None and _is_ours(p) and _is_ours(q):
                function = _formulas.get((p.__name__, q.__name__))
            if function is not None and (best is None or i + k < best[0]):
                best = (i + k, function)
    return None if best is None else best[1]


def _is_ours(kind):
    return kind.__module__.startswith("torch.distributions.")


def _kl(*pairs):
    """Marks the formula of these pairs of names, `"P Q"`."""

    def decorator(function):
        for pair in pairs:
            p, others = pair.split(" ", 1)
            for q in others.split():
                _formulas[p, q] = function
        return function

    return decorator


def _infinite(*pairs):
    def formula(p, q):
        like = getattr(p, next(iter(p.arg_constraints)))
        return _filled(like.shape, math.inf, like)

    _kl(*pairs)(formula)


# Where q is 0 and p is not.
_infinite(
    "Beta Pareto", "ContinuousBernoulli Pareto",
    "Exponential Beta ContinuousBernoulli Pareto Uniform",
    "Gamma Beta ContinuousBernoulli Pareto Uniform",
    "Gumbel Beta ContinuousBernoulli Exponential Gamma Pareto Uniform",
    "Laplace Beta ContinuousBernoulli Exponential Gamma Pareto Uniform",
    "Normal Beta ContinuousBernoulli Exponential Gamma Pareto Uniform",
    "Pareto Beta ContinuousBernoulli Uniform", "Poisson Bernoulli Binomial",
)


@_kl("Bernoulli Bernoulli")
def _bernoulli(p, q):
    def part(weight, p_logits, q_logits, p_probs, q_probs):
        part = weight * (_C.softplus(q_logits) - _C.softplus(p_logits))
        part = part.masked_fill(q_probs, math.inf)
        return part.masked_fill(p_probs, 0)

    ones = part(p.probs, -p.logits, -q.logits, p.probs == 0, q.probs == 0)
    return ones + part(1 - p.probs, p.logits, q.logits, p.probs == 1, q.probs == 1)


@_kl("Binomial Binomial")
def _binomial(p, q):
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * each).masked_fill(p.total_count > q.total_count, math.inf)


@_kl("Categorical Categorical")
def _categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    return t.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0).sum(-1)


@_kl("OneHotCategorical OneHotCategorical")
def _one_hot_categorical(p, q):
    return _categorical(p._categorical, q._categorical)


@_kl("Normal Normal")
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    apart = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + apart - 1 - ratio.log())


@_kl("HalfNormal HalfNormal")
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@_kl("Exponential Exponential")
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@_kl("Geometric Geometric")
def _geometric(p, q):
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@_kl("Laplace Laplace")
def _laplace(p, q):
    ratio = p.scale / q.scale
    apart = (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * (-apart / p.scale).exp() - 1


@_kl("Pareto Pareto")
def _pareto(p, q):
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() + -ratio.log() + ratio - 1
    return result.masked_fill(p.support.lower_bound < q.support.lower_bound, math.inf)


@_kl("Poisson Poisson")
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@_kl("Uniform Uniform")
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@_kl("Cauchy Cauchy")
def _cauchy(p, q):
    apart = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return apart.log() - (4 * p.scale * q.scale).log()


@_kl("ContinuousBernoulli ContinuousBernoulli")
def _continuous_bernoulli(p, q):
    t1 = p.mean * (p.logits - q.logits)
    t2 = p._cont_bern_log_norm() + (-p.probs).log1p()
    t3 = -q._cont_bern_log_norm() - (-q.probs).log1p()
    return t1 + t2 + t3


@_kl("TransformedDistribution TransformedDistribution")
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@_kl("Independent Independent")
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@_kl("ExponentialFamily ExponentialFamily")
def _exponential_family(p, q):
    from glowgrad.autograd import grad

    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot"
            "                             be computed using Bregman divergences"
        )
    own = [each.detach().requires_grad_() for each in p._natural_params]
    normalizer = p._log_normalizer(*own)
    slopes = grad(normalizer.sum(), own, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normalizer
    for a, b, slope in zip(own, q._natural_params, slopes):
        result = result - _sum_rightmost((b - a) * slope, len(q.event_shape))
    return result


@_kl("Bernoulli Poisson")
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@_kl("Exponential Normal")
def _exponential_normal(p, q):
    variance, squared = q.scale.pow(2), p.rate.pow(2)
    t1 = 0.5 * (squared * variance * 2 * math.pi).log()
    return t1 - 1 + (squared.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance


@_kl("Exponential Gumbel")
def _exponential_gumbel(p, q):
    product, ratio = p.rate * q.scale, q.loc / q.scale
    t2 = ratio.exp() * product / (product + 1)
    return product.log() - 1 - ratio + t2 + product.reciprocal()


@_kl("Gumbel Normal")
def _gumbel_normal(p, q):
    ratio = p.scale / q.scale
    t1 = (ratio / math.sqrt(2 * math.pi)).log()
    t2 = (math.pi * ratio * 0.5).pow(2) / 3
    t3 = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -t1 + t2 + t3 - (euler_constant + 1)


@_kl("Laplace Normal")
def _laplace_normal(p, q):
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    t1 = 0.5 * (2 * ratio / math.pi).log()
    apart = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -t1 + ratio + apart / variance - 1


@_kl("Normal Gumbel")
def _normal_gumbel(p, q):
    mean, ratio, middle = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    t3 = (-mean + 0.5 * ratio + middle).exp()
    return -(ratio.log() * 0.5) + (mean - middle) + t3 - 0.5 * (1 + math.log(2 * math.pi))


@_kl("Normal Laplace")
def _normal_laplace(p, q):
    apart, ratio = p.loc - q.loc, p.scale / q.scale
    share = apart / p.scale
    t2 = math.sqrt(2 / math.pi) * p.scale * (-0.5 * share.pow(2)).exp()
    t3 = apart * (math.sqrt(0.5) * share).erf()
    return -ratio.log() + (t2 + t3) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@_kl("Pareto Exponential")
def _pareto_exponential(p, q):
    product = p.scale * q.rate
    t3 = p.alpha * product / (p.alpha - 1)
    result = (p.alpha / product).log() - p.alpha.reciprocal() + t3 - 1
    return result.masked_fill(p.alpha <= 1, math.inf)


@_kl("Pareto Normal")
def _pareto_normal(p, q):
    common = p.scale / (p.alpha - 1)
    t1 = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    t3 = p.alpha * common.pow(2) / (p.alpha - 2)
    t4 = (p.alpha * common - q.loc).pow(2)
    result = t1 - p.alpha.reciprocal() + (t3 + t4) / (2 * q.scale.pow(2)) - 1
    return result.masked_fill(p.alpha <= 2, math.inf)


@_kl("Uniform Exponential")
def _uniform_exponential(p, q):
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return result.masked_fill(p.low < 0, math.inf)


@_kl("Uniform Gumbel")
def _uniform_gumbel(p, q):
    share = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return share.log() + 0.5 * (high + low) - share * ((-high).exp() - (-low).exp())


@_kl("Uniform Normal")
def _uniform_normal(p, q):
    width = p.high - p.low
    t1 = (math.sqrt(math.pi * 2) * q.scale / width).log()
    t3 = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return t1 + 0.5 * (width.pow(2) / 12 + t3) / q.scale.pow(2)


@_kl("Uniform Pareto")
def _uniform_pareto(p, q):
    width = p.high - p.low
    t1 = (q.alpha * q.scale.pow(q.alpha) * width).log()
    t2 = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    return (t2 * (q.alpha + 1) - t1).masked_fill(p.low < q.support.lower_bound, math.inf)


def _x_log_x(x):
    return _C.xlogy(x, x)


def _unit(p):
    """Where a uniform distribution goes beyond 0 and 1."""
    return (p.high > 1) | (p.low < 0)


@_kl("ContinuousBernoulli Exponential")
def _continuous_bernoulli_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@_kl("ContinuousBernoulli Normal")
def _continuous_bernoulli_normal(p, q):
    t2 = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + q.scale.log()
    t3 = (p.variance + p.mean.square() - 2.0 * q.loc * p.mean) / (2.0 * q.scale.square())
    return -p.entropy() + t2 + t3


@_kl("ContinuousBernoulli Uniform")
def _continuous_bernoulli_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return result.masked_fill((q.low >= 0) | (q.high <= 1), math.inf)


@_kl("Uniform ContinuousBernoulli")
def _uniform_continuous_bernoulli(p, q):
    result = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()
    return result.masked_fill((p.high >= 1) | (p.low <= 0), math.inf)
