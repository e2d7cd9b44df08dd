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
    lambda: D.Dirichlet(T([[0.5, 1.0, 2.0], [3.0, 3.0, 3.0]])),
    lambda: D.Dirichlet(T([0.5, 0.2, 0.9])),
    lambda: D.MultivariateNormal(T([1.0, -1.0]), T([[2.0, 0.5], [0.5, 1.0]])),
    lambda: D.MultivariateNormal(torch.zeros(2, 2), precision_matrix=T([[2.0, 0.5], [0.5, 1.0]])),
    lambda: D.MultivariateNormal(torch.zeros(2), scale_tril=T([[2.0, 0.0], [0.5, 1.0]])),
    lambda: D.MultivariateNormal(torch.zeros(2), torch.stack([torch.eye(2), 4 * torch.eye(2)])),
    lambda: D.LowRankMultivariateNormal(torch.zeros(3), T([[1.0], [0.5], [-0.5]]), T([1.0, 0.5, 2.0])),
    lambda: D.Independent(D.Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1),
    lambda: D.Independent(D.Bernoulli(T([[0.2, 0.5], [0.9, 0.1]])), 2),
    lambda: D.Independent(D.Bernoulli(T([0.2, 0.5])), 0),
    lambda: D.MixtureSameFamily(D.Categorical(T([0.3, 0.7])), D.Normal(T([-1.0, 2.0]), T([0.5, 1.0]))),
    lambda: D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Independent(D.Normal(T([[-1.0, 2.0], [0.0, 3.0]]), torch.ones(2, 2)), 1)),
    lambda: D.MixtureSameFamily(D.Categorical(torch.ones(3, 2)), D.Normal(torch.randn(3, 2), torch.ones(3, 2))),
    lambda: D.TransformedDistribution(D.Normal(T([0.0, 1.0]), 1.0), [D.AffineTransform(1.0, 2.0), D.SigmoidTransform()]),
    lambda: D.TransformedDistribution(D.Uniform(0.0, 1.0), [D.SigmoidTransform().inv, D.AffineTransform(T([0.0, 1.0]), T([1.0, -2.0]))]),
    lambda: D.RelaxedBernoulli(T(0.5), T([0.3, 0.8])),
    lambda: D.RelaxedBernoulli(T(2.0), logits=T([0.3, 0.8])),
    lambda: D.RelaxedOneHotCategorical(T(0.7), T([0.2, 0.3, 0.5])),
    lambda: D.RelaxedOneHotCategorical(T(0.7), logits=torch.zeros(2, 3)),
    lambda: D.OneHotCategoricalStraightThrough(T([0.2, 0.3, 0.5])),
    lambda: D.LogisticNormal(T([0.0, 0.5]), T([1.0, 0.5])),
    lambda: D.LKJCholesky(3, 1.5),
]):
    torch.manual_seed(seed)
    show(make)

normal = D.MultivariateNormal(T([1.0, -1.0]), T([[2.0, 0.5], [0.5, 1.0]]))
print(normal.scale_tril, normal.precision_matrix, normal.covariance_matrix)
other = D.MultivariateNormal(T([1.0, -1.0]), precision_matrix=normal.precision_matrix)
print(torch.allclose(other.covariance_matrix, normal.covariance_matrix, atol=1e-5), other.log_prob(torch.zeros(3, 2)).shape)
batch = D.MultivariateNormal(torch.zeros(4, 1, 2), scale_tril=torch.eye(2).expand(3, 2, 2))
print(batch.batch_shape, batch.sample((5,)).shape, batch.log_prob(torch.zeros(5, 4, 3, 2)).shape, batch.entropy().shape)
low = D.LowRankMultivariateNormal(torch.zeros(3), T([[1.0], [0.5], [-0.5]]), T([1.0, 0.5, 2.0]))
full = D.MultivariateNormal(torch.zeros(3), low.covariance_matrix)
print(rounded(low.scale_tril), rounded(low.precision_matrix), torch.allclose(low.log_prob(torch.ones(3)), full.log_prob(torch.ones(3))))
mixture = D.MixtureSameFamily(D.Categorical(T([0.3, 0.7])), D.Normal(T([-1.0, 2.0]), T([0.5, 1.0])))
print(mixture.mixture_distribution, mixture.component_distribution, mixture.cdf(T([-1.0, 2.0])), mixture.support)
print(D.Independent(D.Normal(torch.zeros(2, 3), 1.0), 2).log_prob(torch.zeros(2, 3)), D.Independent(D.Poisson(torch.ones(2)), 1).support)
flow = D.TransformedDistribution(D.Normal(torch.zeros(2), 1.0), [D.StickBreakingTransform()])
print(flow.event_shape, flow.base_dist, flow.support, flow.log_prob(flow.sample()).shape)
tanh = D.TransformedDistribution(D.Normal(0.0, 1.0), [D.TanhTransform(cache_size=1)])
torch.manual_seed(1)
drawn = tanh.rsample((4,))
print(rounded(drawn), rounded(tanh.log_prob(drawn)), tanh.cdf(T(0.5)), tanh.icdf(T(0.9)))
