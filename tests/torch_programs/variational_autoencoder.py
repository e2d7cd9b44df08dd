import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence


class VAE(nn.Module):
    def __init__(self, n=16, hidden=12, latent=2):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n, hidden), nn.Tanh(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.Tanh(), nn.Linear(hidden, n))

    def encode(self, x):
        mean, raw = self.encoder(x).chunk(2, dim=-1)
        return Independent(Normal(mean, F.softplus(raw) + 1e-4), 1)

    def decode(self, z):
        return Independent(Bernoulli(logits=self.decoder(z)), 1)

    def forward(self, x):
        posterior = self.encode(x)
        z = posterior.rsample()
        return self.decode(z), posterior


torch.manual_seed(0)
prototypes = (torch.rand(3, 16) > 0.5).float()
data = prototypes[torch.randint(3, (64,))]
data = torch.where(torch.rand(64, 16) < 0.05, 1 - data, data)
model = VAE()
prior = Independent(Normal(torch.zeros(2), torch.ones(2)), 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(6):
    for batch in data.split(16):
        likelihood, posterior = model(batch)
        divergence = kl_divergence(posterior, prior)
        elbo = (likelihood.log_prob(batch) - divergence).mean()
        optimizer.zero_grad()
        (-elbo).backward()
        optimizer.step()
    print(epoch, round(elbo.item(), 2), round(divergence.mean().item(), 2))
print(prior, prior.log_prob(torch.zeros(2)))
likelihood, posterior = model(data[:2])
print(likelihood, posterior)
print(posterior.base_dist.loc.shape, posterior.batch_shape, posterior.event_shape, likelihood.mean.shape)

# The divergence by its formula, by sampling, and by the tutorial's.
mean, scale = posterior.base_dist.loc, posterior.base_dist.scale
log_var = 2 * scale.log()
formula = -0.5 * (1 + log_var - mean.pow(2) - log_var.exp()).sum(-1)
print(torch.allclose(kl_divergence(posterior, prior), formula, atol=1e-5))
z = posterior.sample((5000,))
sampled = (posterior.log_prob(z) - prior.log_prob(z)).mean(0)
print((sampled - formula).abs().max() < 0.2)


# The same with the noise drawn by hand: the same numbers and gradients.
def by_hand(mean, scale):
    return mean + torch.randn_like(mean) * scale


m, s = torch.tensor([[0.5, -1.0]], requires_grad=True), torch.tensor([[0.3, 2.0]], requires_grad=True)
torch.manual_seed(1)
drawn = Normal(m, s).rsample()
torch.manual_seed(1)
own = by_hand(m, s)
print(torch.equal(drawn, own), torch.autograd.grad(drawn.sin().sum(), (m, s)), torch.autograd.grad(own.sin().sum(), (m, s)))
with torch.no_grad():
    print(model.decode(prior.sample((3,))).sample().shape, prior.sample((3,)).shape)
