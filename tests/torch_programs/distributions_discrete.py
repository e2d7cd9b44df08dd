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
    lambda: D.Bernoulli(T([0.3, 0.8])),
    lambda: D.Bernoulli(0.5),
    lambda: D.Bernoulli(logits=T([0.3, -2.0])),
    lambda: D.Categorical(T([[0.2, 0.3, 0.5], [1.0, 1.0, 2.0]])),
    lambda: D.Categorical(logits=T([0.1, 2.0, -1.0])),
    lambda: D.OneHotCategorical(T([0.2, 0.3, 0.5])),
    lambda: D.OneHotCategorical(logits=torch.zeros(2, 3)),
    lambda: D.Poisson(T([0.5, 4.0, 20.0])),
    lambda: D.Poisson(3.0),
    lambda: D.Geometric(T([0.3, 0.8])),
    lambda: D.Geometric(logits=T([0.3, 0.8])),
    lambda: D.Binomial(10, T([0.3, 0.8])),
    lambda: D.Binomial(T([10.0, 40.0]), logits=T([0.3, 0.8])),
    lambda: D.NegativeBinomial(T([3.0, 5.0]), T([0.3, 0.5])),
    lambda: D.NegativeBinomial(4.0, logits=T([-1.0, 0.5])),
    lambda: D.Multinomial(5, T([0.2, 0.3, 0.5])),
    lambda: D.Multinomial(3, logits=T([[0.0, 1.0], [2.0, -1.0]])),
]):
    torch.manual_seed(seed)
    show(make)

coin = D.Bernoulli(T([0.2, 0.7]))
print(coin.logits, coin.probs, coin.param_shape, coin.perplexity(), D.Bernoulli(logits=T(0.0)).probs)
print(coin.enumerate_support(expand=False), coin.log_prob(T([0.0, 1.0])), D.Bernoulli(T([0.0, 1.0])).log_prob(T([1.0, 0.0])))
die = D.Categorical(torch.ones(6))
print(die.logits, die.probs, die.entropy(), die.perplexity(), die.enumerate_support(), die.log_prob(T([0, 5])))
wide = D.Categorical(logits=T([[1000.0, 0.0], [0.0, -float("inf")]]))
print(wide.probs, wide.entropy(), wide.log_prob(T([0, 0])), wide.log_prob(T([[0], [1]])), wide.mode)
print(D.Categorical(torch.ones(4, 3)).enumerate_support().shape, D.Categorical(torch.ones(4, 3)).enumerate_support(expand=False).shape)
print(D.OneHotCategorical(torch.ones(3)).enumerate_support(), D.Binomial(3, T([0.5])).enumerate_support().T)
print(D.Geometric(T([1.0])).log_prob(T([0.0])), D.Poisson(0.0).log_prob(T([0.0, 1.0])), D.Multinomial(2, T([0.0, 1.0])).log_prob(T([0.0, 2.0])))
print(D.Binomial(1000, T(1e-5)).log_prob(T([0.0, 3.0])), D.Binomial(5, T([0.0, 1.0])).log_prob(T([0.0, 5.0])))
print(coin.sample((2, 2)).shape, die.sample().shape, die.sample().dtype, die.sample((3,)).shape, D.Multinomial(4, torch.ones(2, 3)).sample((5,)).shape)

# Draws one after another from one seed.
torch.manual_seed(7)
for d in (coin, die, D.Poisson(4.0), D.Geometric(0.3), D.Binomial(20, T(0.6)), D.Normal(0.0, 1.0), D.Multinomial(6, torch.ones(3)), D.OneHotCategorical(torch.ones(3))):
    print(type(d).__name__, d.sample((2,)).tolist(), torch.rand(1))
