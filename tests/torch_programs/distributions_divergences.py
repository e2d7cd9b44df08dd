import torch
import torch.distributions as D

T = torch.tensor


def rounded(x):
    return [round(v, 4) + 0.0 for v in x.flatten().tolist()]


PAIRS = {
    "Bernoulli": (D.Bernoulli(T([0.3, 0.0])), D.Bernoulli(T([0.6, 0.5]))),
    "Beta": (D.Beta(T([0.5, 2.0]), T([1.5, 3.0])), D.Beta(T([1.5, 1.0]), T([1.5, 2.0]))),
    "Binomial": (D.Binomial(10, T([0.3, 0.8])), D.Binomial(10, T([0.5, 0.7]))),
    "Categorical": (D.Categorical(T([0.2, 0.3, 0.5])), D.Categorical(T([0.5, 0.3, 0.2]))),
    "Cauchy": (D.Cauchy(T([0.0, 1.0]), T([1.0, 3.0])), D.Cauchy(T([0.5, -1.0]), T([2.0, 2.0]))),
    "Chi2": (D.Chi2(T([1.0, 5.0])), D.Chi2(T([2.0, 2.0]))),
    "ContinuousBernoulli": (D.ContinuousBernoulli(T([0.2, 0.9])), D.ContinuousBernoulli(T([0.3, 0.6]))),
    "Dirichlet": (D.Dirichlet(T([0.5, 1.0, 2.0])), D.Dirichlet(T([1.5, 1.0, 0.7]))),
    "Exponential": (D.Exponential(T([0.5, 2.0])), D.Exponential(T([1.5, 1.0]))),
    "Gamma": (D.Gamma(T([0.5, 3.0]), T([1.0, 2.0])), D.Gamma(T([1.5, 2.0]), T([0.7, 3.0]))),
    "Geometric": (D.Geometric(T([0.3, 0.8])), D.Geometric(T([0.5, 0.5]))),
    "Gumbel": (D.Gumbel(T([0.0, 1.0]), T([1.0, 3.0])), D.Gumbel(T([0.5, -1.0]), T([2.0, 2.0]))),
    "HalfNormal": (D.HalfNormal(T([1.0, 3.0])), D.HalfNormal(T([2.0, 2.0]))),
    "Independent": (D.Independent(D.Normal(torch.zeros(2, 3), 1.0), 1), D.Independent(D.Normal(torch.ones(2, 3), 2.0), 1)),
    "Laplace": (D.Laplace(T([0.0, 1.0]), T([1.0, 3.0])), D.Laplace(T([0.5, -1.0]), T([2.0, 2.0]))),
    "LogNormal": (D.LogNormal(T([0.0, 1.0]), T([1.0, 3.0])), D.LogNormal(T([0.5, -1.0]), T([2.0, 2.0]))),
    "LowRank": (D.LowRankMultivariateNormal(torch.zeros(2), T([[1.0], [0.5]]), T([1.0, 0.5])), D.LowRankMultivariateNormal(torch.ones(2), T([[0.2], [0.5]]), T([1.0, 2.0]))),
    "MultivariateNormal": (D.MultivariateNormal(T([1.0, -1.0]), T([[2.0, 0.5], [0.5, 1.0]])), D.MultivariateNormal(T([0.0, 0.5]), torch.eye(2))),
    "Normal": (D.Normal(T([0.0, 1.0]), T([1.0, 3.0])), D.Normal(T([0.5, -1.0]), T([2.0, 2.0]))),
    "OneHotCategorical": (D.OneHotCategorical(T([0.2, 0.3, 0.5])), D.OneHotCategorical(T([0.5, 0.3, 0.2]))),
    "Pareto": (D.Pareto(T([1.0, 2.0]), T([3.0, 1.5])), D.Pareto(T([0.5, 3.0]), T([2.0, 2.5]))),
    "Poisson": (D.Poisson(T([0.5, 4.0])), D.Poisson(T([1.5, 2.0]))),
    "StudentT": (D.StudentT(T([1.0, 5.0])), D.StudentT(T([2.0, 2.0]))),
    "Uniform": (D.Uniform(T([0.0, 0.2]), T([1.0, 0.7])), D.Uniform(T([-1.0, 0.3]), T([3.0, 0.9]))),
}
for a in PAIRS:
    for b in PAIRS:
        try:
            print(a, b, rounded(D.kl_divergence(PAIRS[a][0], PAIRS[b][1])))
        except NotImplementedError as error:
            print(a, b, error)

# What is impossible under q, and under p.
print(D.kl_divergence(D.Categorical(T([0.5, 0.5, 0.0])), D.Categorical(T([1.0, 0.0, 0.0]))), D.kl_divergence(D.Categorical(T([1.0, 0.0])), D.Categorical(T([0.5, 0.5]))))
print(D.kl_divergence(D.Bernoulli(T([0.5, 1.0])), D.Bernoulli(T([0.0, 1.0]))), D.kl_divergence(D.Binomial(5, T(0.5)), D.Binomial(3, T(0.5))))
print(D.kl_divergence(D.Normal(torch.zeros(2, 1), 1.0), D.Normal(torch.ones(3), 2.0)).shape, D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0)))

# With a gradient, once and twice.
mean, scale = T([0.3, -0.2], requires_grad=True), T([0.5, 2.0], requires_grad=True)
divergence = D.kl_divergence(D.Normal(mean, scale), D.Normal(0.0, 1.0)).sum()
first = torch.autograd.grad(divergence, (mean, scale), create_graph=True)
print(first, torch.autograd.grad(first[1].sum(), scale))
shape = T([0.5, 2.0], requires_grad=True)
(first,) = torch.autograd.grad(D.kl_divergence(D.Gamma(shape, 1.0), D.Gamma(T([1.0, 1.0]), 2.0)).sum(), shape, create_graph=True)
print(rounded(first), rounded(torch.autograd.grad(first.sum(), shape)[0]))


# One's own.
class Shifted(D.Normal):
    pass


@D.register_kl(Shifted, D.Normal)
def shifted_normal(p, q):
    return p.loc - q.loc


print(D.kl_divergence(Shifted(T(3.0), 1.0), D.Normal(T(1.0), 1.0)), D.kl_divergence(D.Normal(T(3.0), 1.0), Shifted(T(1.0), 1.0)))
print(D.kl_divergence(Shifted(T(3.0), 1.0), Shifted(T(1.0), 1.0)), D.kl.kl_divergence is D.kl_divergence)
for p, q in ((D.Binomial(3, T(0.5)), D.Binomial(5, T(0.5))), (D.LogNormal(0.0, 1.0), D.HalfNormal(1.0)), (D.Independent(D.Normal(torch.zeros(2), 1.0), 1), D.Independent(D.Normal(torch.zeros(2, 2), 1.0), 2)), (D.MultivariateNormal(torch.zeros(2), torch.eye(2)), D.MultivariateNormal(torch.zeros(3), torch.eye(3)))):
    try:
        print(D.kl_divergence(p, q))
    except Exception as error:
        print(type(error).__name__, " ".join(str(error).split()))
