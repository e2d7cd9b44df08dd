import torch
import torch.distributions as D

T = torch.tensor


def rounded(x):
    return [round(v, 4) for v in x.flatten().tolist()]


def show(make):
    d = make()
    print(d)
    print("  ", d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support)
    for name in ("mean", "mode", "variance", "stddev"):
        try:
            value = getattr(d, name)
            print("  ", name, value.shape, rounded(value))
        except NotImplementedError:
            print("  ", name, "is not there")
    for name in ("entropy", "enumerate_support"):
        try:
            value = getattr(d, name)()
            print("  ", name, value.shape, rounded(value))
        except NotImplementedError:
            print("  ", name, "is not there")
    drawn = d.sample((3,))
    print("   sample", drawn.shape, drawn.dtype, drawn.requires_grad, rounded(drawn))
    print("   log_prob", rounded(d.log_prob(drawn)))
    for name, at in (("cdf", drawn), ("icdf", torch.full(d.batch_shape, 0.3))):
        try:
            print("  ", name, rounded(getattr(d, name)(at)))
        except NotImplementedError:
            print("  ", name, "is not there")
    grown = d.expand((2, *d.batch_shape))
    print("   expand", grown.batch_shape, grown.event_shape, type(grown).__name__, rounded(grown.sample()))


for seed, make in enumerate([
    lambda: D.Normal(0.0, 1.0),
    lambda: D.Normal(T([0.0, 1.0]), T([1.0, 2.0])),
    lambda: D.Normal(T([[0.0], [1.0]]), T([1.0, 2.0, 3.0])),
    lambda: D.Normal(torch.zeros(2, dtype=torch.float64), 1.0),
    lambda: D.LogNormal(T([0.0, 0.5]), 0.5),
    lambda: D.Uniform(T([0.0, -1.0]), T([2.0, 3.0])),
    lambda: D.Exponential(T([0.5, 2.0])),
    lambda: D.Laplace(T([0.0, 1.0]), T([1.0, 3.0])),
    lambda: D.Gumbel(T([0.0, 1.0]), T([1.0, 3.0])),
    lambda: D.Gumbel(0.0, 1.0),
    lambda: D.Beta(T([0.5, 2.0]), T([1.5, 3.0])),
    lambda: D.Beta(2.0, 3.0),
    lambda: D.Gamma(T([0.5, 3.0]), T([1.0, 2.0])),
    lambda: D.Chi2(T([1.0, 5.0])),
    lambda: D.StudentT(T([1.5, 5.0]), 0.5, 2.0),
    lambda: D.StudentT(T([0.5, 30.0])),
    lambda: D.Cauchy(T([0.0, 1.0]), T([1.0, 3.0])),
    lambda: D.HalfNormal(T([1.0, 3.0])),
    lambda: D.HalfCauchy(T([1.0, 3.0])),
    lambda: D.Weibull(T([1.0, 2.0]), T([1.5, 3.0])),
    lambda: D.Pareto(T([1.0, 2.0]), T([3.0, 1.5])),
    lambda: D.Kumaraswamy(T([1.5, 2.0]), T([2.0, 0.7])),
    lambda: D.InverseGamma(T([3.0, 1.5]), T([1.0, 2.0])),
    lambda: D.FisherSnedecor(T([2.0, 5.0]), T([3.0, 7.0])),
    lambda: D.ContinuousBernoulli(T([0.2, 0.5, 0.9])),
    lambda: D.VonMises(T([0.0, 1.0]), T([1.0, 8.0])),
    lambda: D.GeneralizedPareto(T([0.0, 1.0, 0.0]), T([1.0, 2.0, 1.0]), T([0.2, 0.6, 0.0])),
]):
    torch.manual_seed(seed)
    show(make)

# Far out.
normal = D.Normal(0.0, 1.0)
print(normal.log_prob(T([40.0, -1e10, 1e30])), normal.cdf(T([-40.0, 40.0])), normal.icdf(T([0.0, 1e-7, 1.0])))
print(D.Laplace(0.0, 1e-10).log_prob(T(1.0)), D.Exponential(1e30).log_prob(T([0.0, 1.0])), D.Gamma(1e-3, 1.0).log_prob(T([0.0, 1e-30])))
print(D.Uniform(0.0, 1.0).log_prob(T(1.0)), D.HalfNormal(1.0, validate_args=False).log_prob(T(-1.0)), D.Cauchy(0.0, 1.0).icdf(T([0.5, 1.0])))
print(normal.sample().shape, normal.sample((2, 3)).shape, normal.sample(torch.Size([0])).shape, normal.sample_n(4).shape)
print(type(normal), isinstance(normal, D.ExponentialFamily), D.normal.Normal is D.Normal)
torch.manual_seed(0)
draws = D.Gamma(T([0.3, 2.0, 50.0]), 1.0).sample((2000,))
print([abs(v) < 0.1 for v in (draws.mean(0) / T([0.3, 2.0, 50.0]) - 1).tolist()])
