import torch


def shown(x, digits=5):
    return [float(f"{v:.{digits}g}") for v in x.tolist()]


wide = torch.tensor([1e-30, 1e-8, 0.01, 0.1, 0.5, 0.9, 1, 1.0001, 1.5, 1.999, 2, 2.5, 3, 5, 9.9, 10, 10.5, 25, 100, 1e4, 1e8, 1e30], dtype=torch.float64)
negative = torch.tensor([-0.1, -0.5, -1.5, -2.25, -10.3, -100.7], dtype=torch.float64)
for function in (torch.lgamma, torch.digamma):
    print(shown(function(wide), 9), shown(function(negative), 9), function(wide[2:-3].float()))
for n in range(4):
    print(shown(torch.polygamma(n, wide), 7))
print(torch.lgamma(torch.tensor([0.0, -1.0, float("inf"), float("nan"), 1.0, 2.0])), torch.digamma(torch.tensor([float("inf"), -2.0, float("nan")])))
between = torch.tensor([-1, -0.999999, -0.9, -0.5, -1e-3, -1e-10, 0, 1e-5, 0.3, 0.7, 0.99, 0.9999999, 1, 1.5], dtype=torch.float64)
print(shown(torch.erfinv(between), 9), torch.erfinv(between.float()))
print(torch.mvlgamma(torch.tensor([2.0, 3.5, 10.0]), 3), torch.lgamma(torch.tensor([3, 4])))

# Gradients, up to the third.
x = torch.tensor([0.5, 1.0, 3.0], requires_grad=True)
(first,) = torch.autograd.grad(torch.lgamma(x).sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
print(torch.lgamma(x), first.detach(), second.detach(), torch.autograd.grad(second.sum(), x)[0])
print(torch.autograd.grad(torch.digamma(x).sum(), x), torch.autograd.grad(torch.polygamma(1, x).sum(), x))
u = torch.tensor([0.5, 0.0, -0.3], requires_grad=True)
(first,) = torch.autograd.grad(torch.erfinv(u).sum(), u, create_graph=True)
print(torch.erfinv(u), first.detach(), torch.autograd.grad(first.sum(), u)[0])
at = torch.tensor([0.7, 2.3], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(torch.lgamma, at), torch.autograd.gradgradcheck(torch.lgamma, at), torch.autograd.gradcheck(lambda t: torch.mvlgamma(t + 1, 2), at))

# What the gamma distribution has below.
for concentration in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, 1000.0):
    share = torch.distributions.Gamma(torch.tensor(concentration, dtype=torch.float64), 1.0)
    print(shown(share.cdf(concentration * torch.tensor([0.0, 0.01, 0.5, 1.0, 1.5, 3.0, 100.0], dtype=torch.float64)), 6))
v = torch.tensor([0.5, 2.0], requires_grad=True)
print(torch.autograd.grad(torch.distributions.Gamma(2.0, 1.5).cdf(v).sum(), v))

# Draws that are made until one is taken, in PyTorch's order.
torch.manual_seed(3)
rates = torch.tensor([0.0, 0.1, 1.0, 5.0, 9.9, 10.0, 20.0, 100.0, 1e5]).expand(3, 9)
print(torch.poisson(rates), torch.rand(1))
tries = torch.tensor([0.0, 1.0, 5.0, 40.0, 1000.0]).expand(6, 5)
odds = torch.tensor([0.0, 0.01, 0.3, 0.5, 0.8, 1.0]).unsqueeze(1).expand(6, 5)
print(torch.binomial(tries, odds), torch.rand(1))
own = torch.Generator().manual_seed(5)
print(torch.poisson(rates[0], generator=own), torch.binomial(tries[2], odds[2], generator=own), torch.poisson(rates.double()).dtype)
try:
    torch.poisson(torch.tensor([-1.0]))
except RuntimeError as error:
    print(error)
