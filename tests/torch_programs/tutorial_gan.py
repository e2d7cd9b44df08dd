# Two networks against each other: a generator of points on a ring, and a critic of them.
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(12)
NOISE = 4
angles = 6.283185 * torch.rand(128)
ring = torch.stack((angles.cos(), angles.sin()), 1) + 0.02 * torch.randn(128, 2)


def weights_init(m):
    name = m.__class__.__name__
    if name.find("Linear") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.3)
        nn.init.constant_(m.bias.data, 0)


def stack(first, last, normal):
    layers = [nn.Linear(first, 24)]
    if normal:
        layers.append(nn.BatchNorm1d(24))
    layers += [nn.LeakyReLU(0.2, inplace=True), nn.Linear(24, last)]
    return nn.Sequential(*layers)


generator, critic = stack(NOISE, 2, True), stack(2, 1, False)
for net in (generator, critic):
    net.apply(weights_init)
print(generator)
criterion = nn.BCEWithLogitsLoss()
d_optimizer = optim.Adam(critic.parameters(), lr=5e-3, betas=(0.5, 0.999))
g_optimizer = optim.Adam(generator.parameters(), lr=5e-3, betas=(0.5, 0.999))
fixed = torch.randn(64, NOISE)
for step in range(60):
    real = ring[torch.randint(0, 128, (32,))]
    label = torch.full((32,), 1.0)
    critic.zero_grad()
    on_real = criterion(critic(real).view(-1), label)
    on_real.backward()
    fake = generator(torch.randn(32, NOISE))
    label.fill_(0.0)
    on_fake = criterion(critic(fake.detach()).view(-1), label)
    on_fake.backward()
    d_optimizer.step()
    generator.zero_grad()
    label.fill_(1.0)
    fooled = criterion(critic(fake).view(-1), label)
    fooled.backward()
    g_optimizer.step()
    if step % 10 == 0:
        print("[%2d] critic %.3f generator %.3f" % (step, (on_real + on_fake).item(), fooled.item()))

# One more critic, whose gradients are held near 1 (a second derivative).
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = optim.Adam(critic.parameters(), lr=1e-2)
for step in range(20):
    fake = generator(torch.randn(32, NOISE)).detach()
    share = torch.rand(32, 1)
    between = (share * ring[:32] + (1 - share) * fake).requires_grad_(True)
    gradient = torch.autograd.grad(critic(between).sum(), between, create_graph=True)[0]
    penalty = ((gradient.norm(2, dim=1) - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(ring[:32]).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f} {penalty.item():.3f}")
generator.eval()
with torch.no_grad():
    made = generator(fixed)
print(made.shape, made.norm(dim=1).mean() > 0.3)
