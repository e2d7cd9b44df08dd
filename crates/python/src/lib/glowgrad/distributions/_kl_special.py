"""The divergences that need `lgamma`, `digamma` or matrices; `kl.py` has the others."""

import math

from _glowgrad import digamma, lgamma
from glowgrad.distributions.kl import _kl, _unit, _x_log_x
from glowgrad.distributions.utils import euler_constant


@_kl("Beta Beta")
def _beta(p, q):
    sum_p, sum_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    t1 = lgamma(q.concentration1) + lgamma(q.concentration0) + lgamma(sum_p)
    t2 = lgamma(p.concentration1) + lgamma(p.concentration0) + lgamma(sum_q)
    t3 = (p.concentration1 - q.concentration1) * digamma(p.concentration1)
    t4 = (p.concentration0 - q.concentration0) * digamma(p.concentration0)
    return t1 - t2 + t3 + t4 + (sum_q - sum_p) * digamma(sum_p)


@_kl("Dirichlet Dirichlet")
def _dirichlet(p, q):
    sum_p, sum_q = p.concentration.sum(-1), q.concentration.sum(-1)
    t1 = lgamma(sum_p) - lgamma(sum_q)
    t2 = (lgamma(p.concentration) - lgamma(q.concentration)).sum(-1)
    t4 = digamma(p.concentration) - digamma(sum_p).unsqueeze(-1)
    return t1 - t2 + ((p.concentration - q.concentration) * t4).sum(-1)


@_kl("Gamma Gamma")
def _gamma(p, q):
    t1 = q.concentration * (p.rate / q.rate).log()
    t2 = lgamma(q.concentration) - lgamma(p.concentration)
    t3 = (p.concentration - q.concentration) * digamma(p.concentration)
    return t1 + t2 + t3 + (q.rate - p.rate) * (p.concentration / p.rate)


@_kl("Gumbel Gumbel")
def _gumbel(p, q):
    ratio, a, b = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t3 = (a + lgamma(1 + ratio) - b).exp()
    return -ratio.log() - a + b + ratio * euler_constant + t3 - (1 + euler_constant)


@_kl("Beta ContinuousBernoulli")
def _beta_continuous_bernoulli(p, q):
    rest = -(-q.probs).log1p() - q._cont_bern_log_norm()
    return -p.entropy() - p.mean * q.logits + rest


@_kl("Beta Exponential")
def _beta_exponential(p, q):
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    return -p.entropy() - q.rate.log() + q.rate * mean


@_kl("Beta Gamma")
def _beta_gamma(p, q):
    total = p.concentration1 + p.concentration0
    t2 = lgamma(q.concentration) - q.concentration * q.rate.log()
    t3 = (q.concentration - 1) * (digamma(p.concentration1) - digamma(total))
    return -p.entropy() + t2 - t3 + q.rate * p.concentration1 / total


@_kl("Beta Normal")
def _beta_normal(p, q):
    total = p.concentration1 + p.concentration0
    mean, variance = p.concentration1 / total, q.scale.pow(2)
    t2 = 0.5 * (variance * 2 * math.pi).log()
    t3 = (mean * (1 - mean) / (total + 1) + mean.pow(2)) * 0.5
    return -p.entropy() + t2 + (t3 - q.loc * mean + q.loc.pow(2) * 0.5) / variance


@_kl("Beta Uniform")
def _beta_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return result.masked_fill((q.low > 0) | (q.high < 1), math.inf)


@_kl("Exponential Gamma")
def _exponential_gamma(p, q):
    ratio = q.rate / p.rate
    t1 = -q.concentration * ratio.log()
    gamma = euler_constant
    return t1 + ratio + lgamma(q.concentration) + q.concentration * gamma - (1 + gamma)


@_kl("Gamma Exponential")
def _gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@_kl("Gamma Gumbel")
def _gamma_gumbel(p, q):
    product, ratio = p.rate * q.scale, q.loc / q.scale
    a = p.concentration
    t1 = (a - 1) * digamma(a) - lgamma(a) - a
    t3 = ratio.exp() * (1 + product.reciprocal()).pow(-a) - ratio
    return t1 + product.log() + a / product + t3


@_kl("Gamma Normal")
def _gamma_normal(p, q):
    variance, squared, a = q.scale.pow(2), p.rate.pow(2), p.concentration
    t1 = 0.5 * (squared * variance * 2 * math.pi).log() - a - lgamma(a)
    t2 = 0.5 * (a.pow(2) + a) / squared
    rest = (t2 - q.loc * a / p.rate + 0.5 * q.loc.pow(2)) / variance
    return t1 + (a - 1) * digamma(a) + rest


@_kl("Pareto Gamma")
def _pareto_gamma(p, q):
    common = p.scale.log() + p.alpha.reciprocal()
    t1 = p.alpha.log() - common
    t2 = lgamma(q.concentration) - q.concentration * q.rate.log()
    t4 = q.rate * p.alpha * p.scale / (p.alpha - 1)
    result = t1 + t2 + (1 - q.concentration) * common + t4 - 1
    return result.masked_fill(p.alpha <= 1, math.inf)


@_kl("Uniform Beta")
def _uniform_beta(p, q):
    width = p.high - p.low
    a, b = q.concentration1, q.concentration0
    t2 = (a - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    t3 = (b - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    t4 = lgamma(a) + lgamma(b) - lgamma(a + b)
    return (t3 + t4 - width.log() - t2).masked_fill(_unit(p), math.inf)


@_kl("Uniform Gamma")
def _uniform_gamma(p, q):
    width = p.high - p.low
    t2 = lgamma(q.concentration) - q.concentration * q.rate.log()
    t3 = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    result = -width.log() + t2 + t3 + q.rate * (p.high + p.low) / 2
    return result.masked_fill(p.low < 0, math.inf)


def _squares(matrix):
    """The trace of X Xᵀ."""
    return matrix.pow(2).sum((-2, -1))


def _same_event(p, q, what):
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {what}Multivariate Normals with"
            "                          different event shapes cannot be computed"
        )


@_kl("MultivariateNormal MultivariateNormal")
def _multivariate_normal(p, q):
    from glowgrad.distributions.multivariate_normal import (
        _batch_mahalanobis, _log_diagonal, _solved,
    )

    _same_event(p, q, "")
    lower_p, lower_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    volume = _log_diagonal(lower_q) - _log_diagonal(lower_p)
    spread = _squares(_solved(lower_q, lower_p))
    apart = _batch_mahalanobis(lower_q, q.loc - p.loc)
    return volume + 0.5 * (spread + apart - p.event_shape[0])


def _volume(distribution):
    """The logarithm of the determinant of the covariance."""
    from glowgrad.distributions import lowrank_multivariate_normal as lowrank
    from glowgrad.distributions.multivariate_normal import _log_diagonal

    if "_capacitance_tril" in distribution.__dict__:
        return lowrank._lowrank_logdet(
            distribution._unbroadcasted_cov_diag, distribution._capacitance_tril
        )
    return 2 * _log_diagonal(distribution._unbroadcasted_scale_tril)


@_kl(
    "LowRankMultivariateNormal LowRankMultivariateNormal",
    "MultivariateNormal LowRankMultivariateNormal",
)
def _to_lowrank(p, q):
    from glowgrad.distributions import lowrank_multivariate_normal as lowrank
    from glowgrad.distributions.multivariate_normal import _solved

    is_low = "_capacitance_tril" in p.__dict__
    _same_event(p, q, "Low Rank " if is_low else "(Low Rank) ")
    factor, diagonal = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag
    apart = lowrank._lowrank_mahalanobis(factor, diagonal, q.loc - p.loc, q._capacitance_tril)
    along = _solved(q._capacitance_tril, factor.mT / diagonal.unsqueeze(-2))
    inner = p._unbroadcasted_cov_factor if is_low else p._unbroadcasted_scale_tril
    spread = _squares(inner * diagonal.rsqrt().unsqueeze(-1)) - _squares(along @ inner)
    if is_low:
        own = p._unbroadcasted_cov_diag
        spread = spread + (own / diagonal).sum(-1) - _squares(along * own.sqrt().unsqueeze(-2))
    return 0.5 * (_volume(q) - _volume(p) + spread + apart - p.event_shape[0])


@_kl("LowRankMultivariateNormal MultivariateNormal")
def _lowrank_to_full(p, q):
    from glowgrad.distributions.multivariate_normal import _batch_mahalanobis, _solved

    _same_event(p, q, "(Low Rank) ")
    lower = q._unbroadcasted_scale_tril
    apart = _batch_mahalanobis(lower, q.loc - p.loc)
    spread = _squares(_solved(lower, p._unbroadcasted_cov_factor)) + _squares(
        _solved(lower, p._unbroadcasted_cov_diag.sqrt().diag_embed())
    )
    return 0.5 * (_volume(q) - _volume(p) + spread + apart - p.event_shape[0])
