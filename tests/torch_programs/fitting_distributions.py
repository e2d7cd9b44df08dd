import math

import torch
import torch.nn as nn
from torch.distributions import (
    AffineTransform, Beta, Categorical, ComposeTransform, Gamma, MixtureSameFamily, MultivariateNormal, Normal, Poisson,
    RelaxedOneHotCategorical, StudentT, TransformedDistribution, constraints, kl_divergence, transform_to,
)


def rounded(*tensors):
    return [round(v, 2) for x in tensors for v in x.detach().flatten().tolist()]


# The likeliest parameters of data, kept where they belong by transforms.
torch.manual_seed(0)
data = Gamma(3.0, 2.0).sample((300,))
free = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.Adam([free], lr=0.1)
positive = transform_to(constraints.positive)
for _ in range(60):
    loss = -Gamma(*positive(free)).log_prob(data).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(rounded(positive(free), loss), rounded(data.mean(), data.var()))

# A mixture of two normals.
data = MixtureSameFamily(Categorical(torch.tensor([0.3, 0.7])), Normal(torch.tensor([-2.0, 1.5]), torch.tensor([0.5, 0.8]))).sample((300,))
logits, means, log_scales = torch.zeros(2, requires_grad=True), torch.tensor([-0.5, 0.5], requires_grad=True), torch.zeros(2, requires_grad=True)
optimizer = torch.optim.Adam([logits, means, log_scales], lr=0.1)
for _ in range(60):
    mixture = MixtureSameFamily(Categorical(logits=logits), Normal(means, log_scales.exp()))
    loss = -mixture.log_prob(data).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(rounded(mixture.mixture_distribution.probs, means, log_scales.exp(), loss))
print(mixture)

# Bayesian regression by variational inference: a normal with a full covariance.
x = torch.linspace(-1, 1, 20)
y = 2 * x - 0.5 + 0.1 * torch.randn(20)
features = torch.stack([x, torch.ones(20)], 1)
prior = MultivariateNormal(torch.zeros(2), torch.eye(2))
loc, raw = torch.zeros(2, requires_grad=True), torch.zeros(2, 2, requires_grad=True)
optimizer = torch.optim.Adam([loc, raw], lr=0.1)
lower = transform_to(constraints.lower_cholesky)
for _ in range(80):
    posterior = MultivariateNormal(loc, scale_tril=lower(raw))
    weights = posterior.rsample((8,))
    likelihood = Normal(weights @ features.T, 0.5).log_prob(y).sum(-1)
    loss = kl_divergence(posterior, prior) - likelihood.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
precision = features.T @ features / 0.25 + torch.eye(2)
exact = torch.linalg.solve(precision, features.T @ y / 0.25)
print(rounded(loc), rounded(exact), rounded(posterior.covariance_matrix))

# Counts by a Poisson regression, tails by Student's t.
counts = Poisson((0.5 + x).exp()).sample()
slope = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([slope], lr=0.1)
for _ in range(60):
    loss = -Poisson((features @ slope).exp()).log_prob(counts).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(counts.sum(), rounded(slope, loss))
noisy = torch.cat([y, torch.tensor([30.0])])
middle = torch.tensor(0.0, requires_grad=True)
for _ in range(30):
    (g,) = torch.autograd.grad(-StudentT(2.0, middle, 1.0).log_prob(noisy).mean(), middle)
    middle = (middle - g).detach().requires_grad_()
print(rounded(middle, noisy.mean()))


# A planar flow as one's own transform, and a stack of affine ones that learns a normal.
class Planar(torch.distributions.Transform):
    domain = codomain = constraints.real_vector
    bijective = True

    def __init__(self, size):
        super().__init__()
        self.w, self.u, self.b = nn.Parameter(0.1 * torch.randn(size)), nn.Parameter(0.1 * torch.randn(size)), nn.Parameter(torch.zeros(()))

    def _call(self, z):
        return z + self.u * (z @ self.w + self.b).tanh().unsqueeze(-1)

    def log_abs_det_jacobian(self, z, y):
        inner = (z @ self.w + self.b).tanh()
        return (1 + (1 - inner ** 2) * (self.w @ self.u)).abs().log()


torch.manual_seed(2)
flow = [Planar(2) for _ in range(2)]
base = torch.distributions.Independent(Normal(torch.zeros(2), 1.0), 1)
target = MultivariateNormal(torch.tensor([1.0, 0.0]), torch.tensor([[1.0, 0.6], [0.6, 1.0]]))
parameters = [p for t in flow for p in (t.w, t.u, t.b)]
optimizer = torch.optim.Adam(parameters, lr=0.05)
for step in range(40):
    z = base.rsample((32,))
    log_q = base.log_prob(z)
    for t in flow:
        y = t(z)
        log_q = log_q - t.log_abs_det_jacobian(z, y)
        z = y
    loss = (log_q - target.log_prob(z)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 13 == 0:
        print(step, rounded(loss))
loc, scale = torch.zeros((), requires_grad=True), torch.ones((), requires_grad=True)
observed = Normal(3.0, 0.5).sample((100,))
optimizer = torch.optim.Adam([loc, scale], lr=0.1)
for _ in range(60):
    learned = TransformedDistribution(Normal(0.0, 1.0), ComposeTransform([AffineTransform(loc, scale)]))
    loss = -learned.log_prob(observed).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(rounded(loc, scale, loss), round(0.5 * math.log(2 * math.pi * math.e * 0.25), 2))

# A choice that can be learned: relaxed, then straight through.
torch.manual_seed(3)
logits = torch.zeros(3, requires_grad=True)
cost = torch.tensor([1.0, 0.2, 0.5])
optimizer = torch.optim.SGD([logits], lr=1.0)
for step in range(30):
    choice = RelaxedOneHotCategorical(torch.tensor(0.5), logits=logits).rsample((16,))
    loss = (choice * cost).sum(-1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(rounded(logits.softmax(-1), loss))

# Beta and Bernoulli: what a coin is believed to be after each throw.
believed = Beta(torch.tensor(1.0), torch.tensor(1.0))
for heads in (1, 1, 0, 1, 1):
    believed = Beta(believed.concentration1 + heads, believed.concentration0 + 1 - heads)
print(believed, rounded(believed.mean, believed.variance, believed.mode), rounded(believed.log_prob(torch.tensor([0.2, 0.8])), believed.entropy()))
