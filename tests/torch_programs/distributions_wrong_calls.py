import torch
import torch.distributions as D
from torch.distributions import constraints

T = torch.tensor
nan = float("nan")
half = T([0.5, 0.5])


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


for call in (
    lambda: D.Normal(0.0, -1.0),
    lambda: D.Normal(T([0.0, nan]), T([1.0, 1.0])),
    lambda: D.Normal(T([0.0]), T([-1.0, 0.0])),
    lambda: D.Normal(0.0, 1.0).log_prob(T(nan)),
    lambda: D.Normal(0.0, 1.0).cdf(T([0.0, nan])),
    lambda: D.Normal(torch.zeros(2), 1.0).log_prob(torch.zeros(3)),
    lambda: D.Normal(0.0, 1.0).log_prob(0.5),
    lambda: D.Normal("a", 1.0),
    lambda: D.Normal(0.0, -1.0, validate_args=False),
    lambda: D.Normal(0.0, 1.0).enumerate_support(),
    lambda: D.Normal(0.0, 1.0).sample(3),
    lambda: D.Normal(torch.zeros(2), torch.ones(3)).loc,
    lambda: D.Laplace(T([0.0]), T([-2.0])),
    lambda: D.Cauchy(0.0, 0.0),
    lambda: D.Gumbel(0.0, -1.0),
    lambda: D.Uniform(1.0, 0.0),
    lambda: D.Uniform(0.0, 1.0).log_prob(T(2.0)),
    lambda: D.Uniform(T([0.0, 1.0]), T([1.0, 1.0])),
    lambda: D.Exponential(-1.0),
    lambda: D.Exponential(1.0).log_prob(T(-1.0)),
    lambda: D.LogNormal(0.0, 1.0).log_prob(T(-1.0)),
    lambda: D.HalfNormal(1.0).log_prob(T(-1.0)),
    lambda: D.Weibull(0.0, 1.0),
    lambda: D.VonMises(T(0.0), T(-1.0)),
    lambda: D.StudentT(-1.0),
    lambda: D.Chi2(T(-1.0)),
    lambda: D.Gamma(-1.0, 1.0),
    lambda: D.Gamma(1.0, 1.0).log_prob(T(-1.0)),
    lambda: D.Gamma(1.0, 1.0).icdf(T(0.5)),
    lambda: D.Beta(0.0, 1.0),
    lambda: D.Beta(1.0, 1.0).log_prob(T(1.5)),
    lambda: D.Dirichlet(T([1.0, -1.0])),
    lambda: D.Dirichlet(T(1.0)),
    lambda: D.Dirichlet(torch.ones(3)).log_prob(torch.ones(3)),
    lambda: D.Dirichlet(torch.ones(3)).log_prob(torch.ones(2)),
    lambda: D.Bernoulli(T([1.5])),
    lambda: D.Bernoulli(),
    lambda: D.Bernoulli(0.5, logits=0.0),
    lambda: D.Bernoulli(0.5).log_prob(T(0.5)),
    lambda: D.Bernoulli(0.5).rsample(),
    lambda: D.Categorical(T([-1.0, 2.0])),
    lambda: D.Categorical(T(0.5)),
    lambda: D.Categorical(logits=T(0.5)),
    lambda: D.Categorical(T([0.0, 0.0])),
    lambda: D.Categorical(half).log_prob(T(2)),
    lambda: D.Categorical(half).log_prob(T(0.5)),
    lambda: D.Categorical(torch.ones(3, 2)).log_prob(T([0, 1])),
    lambda: D.Categorical(logits=T([nan, 0.0])),
    lambda: D.Categorical(),
    lambda: D.Categorical(half).rsample(),
    lambda: D.OneHotCategorical(half).log_prob(torch.ones(2)),
    lambda: D.OneHotCategorical(T([[0.5, -0.5]])),
    lambda: D.Poisson(-1.0),
    lambda: D.Poisson(1.0).log_prob(T(0.5)),
    lambda: D.Geometric(0.0),
    lambda: D.Geometric(T([0.5, 0.0])),
    lambda: D.Geometric(T([0.5, 2.0])),
    lambda: D.Binomial(),
    lambda: D.Binomial(3, T(1.5)),
    lambda: D.Binomial(-1, T(0.5)),
    lambda: D.Binomial(3, T(0.5)).log_prob(T(4.0)),
    lambda: D.Binomial(T([3.0, 4.0]), T(0.5)).entropy(),
    lambda: D.Binomial(T([3.0, 4.0]), T(0.5)).enumerate_support(),
    lambda: D.NegativeBinomial(1.0),
    lambda: D.NegativeBinomial(1.0, T(1.0)),
    lambda: D.Multinomial(T([3]), half),
    lambda: D.Multinomial(3, half).rsample(),
    lambda: D.Multinomial(3, half).log_prob(T([3.0, 1.0])),
    lambda: D.MultivariateNormal(torch.zeros(2), T([[1.0, 2.0], [2.0, 1.0]])),
    lambda: D.MultivariateNormal(torch.zeros(2), T([[1.0, 2.0], [0.0, 1.0]])),
    lambda: D.MultivariateNormal(torch.zeros(2)),
    lambda: D.MultivariateNormal(T(0.0), torch.eye(1)),
    lambda: D.MultivariateNormal(torch.zeros(2), torch.ones(2)),
    lambda: D.MultivariateNormal(torch.zeros(2), torch.eye(2), torch.eye(2)),
    lambda: D.MultivariateNormal(torch.zeros(2), scale_tril=T([[1.0, 2.0], [0.0, 1.0]])),
    lambda: D.MultivariateNormal(torch.zeros(2), scale_tril=torch.ones(2)),
    lambda: D.MultivariateNormal(torch.zeros(2), precision_matrix=torch.ones(2)),
    lambda: D.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(3)),
    lambda: D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2)),
    lambda: D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(3)),
    lambda: D.LowRankMultivariateNormal(torch.zeros(3, 2), torch.ones(2, 2, 1), torch.ones(2)),
    lambda: D.LKJCholesky(1),
    lambda: D.Independent(D.Normal(0.0, 1.0), 1),
    lambda: D.Independent(D.Bernoulli(half), 1).enumerate_support(),
    lambda: D.MixtureSameFamily(D.Normal(0.0, 1.0), D.Normal(torch.zeros(2), 1.0)),
    lambda: D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.zeros(2), 1.0)),
    lambda: D.MixtureSameFamily(D.Categorical(torch.ones(3)), 3),
    lambda: D.MixtureSameFamily(D.Categorical(torch.ones(2, 3)), D.Normal(torch.zeros(4, 3), 1.0)),
    lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), 3),
    lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [3]),
    lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), D.StickBreakingTransform()),
    lambda: D.RelaxedBernoulli(T(0.5)),
    lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Poisson(1.0)),
    lambda: D.Distribution.set_default_validate_args(3),
    lambda: D.Distribution(validate_args=False).sample(),
    lambda: D.Distribution(validate_args=False).mode,
    lambda: D.Distribution(validate_args=False).mean,
    lambda: D.utils.broadcast_all("a"),
):
    attempt(call)


# Without checks, and with them again.
D.Distribution.set_default_validate_args(False)
print(D.Normal(0.0, -1.0), D.Bernoulli(T(2.0)).log_prob(T(0.5)).shape)
D.Distribution.set_default_validate_args(True)
attempt(lambda: D.Normal(0.0, -1.0))
print(D.Normal(0.0, 1.0, validate_args=False).log_prob(T(nan)), D.Normal(0.0, 1.0, validate_args=False).expand((2,)).log_prob(T(nan)))


# A class of one's own.
class Fixed(D.Normal):
    def __init__(self, middle):
        super().__init__(middle, 1.0)


class Plain(D.Distribution):
    arg_constraints = {"loc": constraints.real}
    support = constraints.real

    def __init__(self, loc):
        self.loc = loc
        super().__init__(loc.shape)

    def rsample(self, shape=torch.Size()):
        return self.loc + torch.zeros(self._extended_shape(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -(value - self.loc) ** 2


attempt(lambda: Fixed(0.0).expand((2,)))
plain = Plain(torch.zeros(2))
print(plain, plain.sample((3,)).shape, plain.log_prob(torch.ones(2)), plain.batch_shape, plain.has_rsample)
attempt(lambda: plain.log_prob(T([nan, 0.0])))
attempt(lambda: Plain(T([nan])))
attempt(lambda: plain.expand((2, 2)))
attempt(lambda: plain.entropy())
print(Fixed(T(2.0)).log_prob(T(2.0)), type(Fixed(0.0)).__name__, isinstance(Fixed(0.0), D.Normal))
