import torch
import torch.distributions as D

T = torch.tensor


def rounded(x, digits=4):
    return None if x is None else [round(v, digits) + 0.0 for v in x.flatten().tolist()]


# How far digits are shown: PyTorch's gradients of gamma numbers and shares are approximations.
DRAWN = {
    "Normal": (D.Normal, ([0.5, -1.0], [1.0, 2.0])),
    "LogNormal": (D.LogNormal, ([0.5, -1.0], [1.0, 0.5])),
    "Uniform": (D.Uniform, ([0.5, -1.0], [1.0, 2.0])),
    "Exponential": (D.Exponential, ([0.5, 1.0],)),
    "Laplace": (D.Laplace, ([0.5, -1.0], [1.0, 2.0])),
    "Gumbel": (D.Gumbel, ([0.5, -1.0], [1.0, 2.0])),
    "Cauchy": (D.Cauchy, ([0.5, -1.0], [1.0, 2.0])),
    "HalfNormal": (D.HalfNormal, ([0.5, 1.0],)),
    "Weibull": (D.Weibull, ([0.5, 1.0], [1.0, 2.0])),
    "Pareto": (D.Pareto, ([0.5, 1.0], [3.0, 2.0])),
    "Kumaraswamy": (D.Kumaraswamy, ([0.5, 1.0], [3.0, 2.0])),
    "RelaxedBernoulli": (lambda a: D.RelaxedBernoulli(T(0.5), a), ([0.5, 0.2],)),
    "RelaxedOneHotCategorical": (lambda a: D.RelaxedOneHotCategorical(T(0.5), logits=a), ([0.5, 0.2, -1.0],)),
    "OneHotCategoricalStraightThrough": (lambda a: D.OneHotCategoricalStraightThrough(logits=a), ([0.5, 0.2, -1.0],)),
    "MultivariateNormal": (lambda a, b: D.MultivariateNormal(a, scale_tril=b.view(2, 2).tril()), ([0.5, -1.0], [1.0, 9.0, 0.5, 2.0])),
    "covariance": (lambda a, b: D.MultivariateNormal(a, b.view(2, 2) @ b.view(2, 2).T + torch.eye(2)), ([0.5, -1.0], [1.0, 0.3, 0.5, 2.0])),
    "TransformedDistribution": (lambda a, b: D.TransformedDistribution(D.Normal(0.0, 1.0), [D.AffineTransform(a, b), D.TanhTransform()]), ([0.5, -1.0], [1.0, 0.5])),
    "Independent": (lambda a, b: D.Independent(D.Normal(a, b), 1), ([0.5, -1.0], [1.0, 0.5])),
    "ContinuousBernoulli": (D.ContinuousBernoulli, ([0.2, 0.7],)),
    "LogisticNormal": (D.LogisticNormal, ([0.5, -1.0], [1.0, 0.5])),
    "GeneralizedPareto": (D.GeneralizedPareto, ([0.5, -1.0], [1.0, 0.5], [0.2, 0.0])),
    "LowRankMultivariateNormal": (lambda a, b, c: D.LowRankMultivariateNormal(a, b.view(2, 1), c), ([0.5, -1.0], [1.0, 0.5], [0.2, 1.0])),
    "Gamma": (D.Gamma, ([0.5, 3.0], [1.0, 2.0])),
    "Beta": (D.Beta, ([0.5, 3.0], [1.0, 2.0])),
    "Dirichlet": (D.Dirichlet, ([0.5, 3.0, 1.0],)),
    "StudentT": (D.StudentT, ([2.5, 3.0],)),
    "Chi2": (D.Chi2, ([2.5, 3.0],)),
    "InverseGamma": (D.InverseGamma, ([2.5, 3.0], [1.0, 2.0])),
}
APPROXIMATE = ("Gamma", "Beta", "Dirichlet", "StudentT", "Chi2", "InverseGamma")


def slopes(y, inputs, graph=False):
    return torch.autograd.grad(y, inputs, allow_unused=True, create_graph=graph)


for seed, (name, (make, values)) in enumerate(DRAWN.items()):
    torch.manual_seed(seed)
    params = [T(value, requires_grad=True) for value in values]
    drawn = make(*params).rsample((2,))
    print(name, rounded(drawn), drawn.requires_grad)
    print("   of draws", [rounded(g, 2 if name in APPROXIMATE else 3) for g in slopes(drawn.sin().sum(), params)])
    at = drawn.detach().requires_grad_()
    log_prob = make(*params).log_prob(at)
    *first, of_value = slopes(log_prob.sum(), [*params, at], True)
    print("   of log_prob", rounded(log_prob), [rounded(g, 3) for g in first], rounded(of_value, 3) if of_value is not None else None)
    squares = sum(g.pow(2).sum() for g in first if g is not None and g.requires_grad)
    print("   again", [rounded(g, 2) for g in slopes(squares, params)])
    try:
        print("   of entropy", [rounded(g) for g in slopes(make(*params).entropy().sum(), params)])
    except NotImplementedError:
        print("   of entropy: not there")

for name, make, at in (
    ("Bernoulli", lambda a: D.Bernoulli(logits=a), [1.0, 0.0]),
    ("Categorical", lambda a: D.Categorical(logits=a), [1, 0]),
    ("Poisson", lambda a: D.Poisson(a.exp()), [1.0, 3.0]),
    ("Geometric", lambda a: D.Geometric(a.sigmoid()), [1.0, 3.0]),
    ("Binomial", lambda a: D.Binomial(5, logits=a), [1.0, 3.0]),
    ("NegativeBinomial", lambda a: D.NegativeBinomial(5.0, logits=-a.exp()), [1.0, 3.0]),
    ("Multinomial", lambda a: D.Multinomial(4, logits=a), [1.0, 3.0]),
    ("OneHotCategorical", lambda a: D.OneHotCategorical(logits=a), [1.0, 0.0]),
    ("MixtureSameFamily", lambda a: D.MixtureSameFamily(D.Categorical(logits=a), D.Normal(a, 1.0)), [1.0, 0.0]),
    ("VonMises", lambda a: D.VonMises(a, a.exp()), [1.0, 0.0]),
):
    a = T([0.3, -0.4], requires_grad=True)
    log_prob = make(a).log_prob(T(at))
    (first,) = slopes(log_prob.sum(), a, True)
    print(name, rounded(log_prob), rounded(first), rounded(slopes(first.pow(2).sum(), a)[0]))
    try:
        print("   of entropy", rounded(slopes(make(a).entropy().sum(), a)[0]))
    except NotImplementedError:
        print("   of entropy: not there")

# In float64 the gradients are those that nudging shows.
at = [T([0.7, 1.9], dtype=torch.float64, requires_grad=True), T([1.2, 0.6], dtype=torch.float64, requires_grad=True)]
value = T([0.4, 0.8], dtype=torch.float64, requires_grad=True)
for kind in (D.Normal, D.Laplace, D.Gamma, D.Beta, D.Cauchy, D.Gumbel, D.Weibull, D.StudentT, D.LogNormal):
    print(kind.__name__, torch.autograd.gradcheck(lambda a, b, v: kind(a, b, validate_args=False).log_prob(v), (*at, value)))
print(torch.autograd.gradcheck(lambda a: D.Dirichlet(a).entropy(), at[0]), torch.autograd.gradgradcheck(lambda a, b: D.Gamma(a, b).log_prob(value.detach()), at))

# Numbers that were drawn move with their distribution: the mean of their gradient is that of the mean.
torch.manual_seed(0)
shape = torch.full((4000,), 2.5, requires_grad=True)
(moved,) = torch.autograd.grad(D.Gamma(shape, 1.0).rsample().sum(), shape)
print(abs(moved.mean().item() - 1) < 0.05)
shares = torch.full((4000, 2), 1.5, requires_grad=True)
(moved,) = torch.autograd.grad(D.Dirichlet(shares).rsample()[:, 0].sum(), shares)
print([abs(v - e) < 0.02 for v, e in zip(moved.mean(0).tolist(), (1 / 6, -1 / 6))])
