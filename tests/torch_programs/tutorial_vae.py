# A variational autoencoder with the reparametrisation written out, and its two losses apart.
import argparse

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser(description="A variational autoencoder of small patterns")
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--batch-size", type=int, default=20, metavar="N")
parser.add_argument("--no-cuda", action="store_true", default=False)
args = parser.parse_args([])
args.cuda = not args.no_cuda and torch.cuda.is_available()
torch.manual_seed(9)
device = torch.device("cuda" if args.cuda else "cpu")


class Patterns(Dataset):
    """Crosses of a row and a column, with some pixels dropped."""

    def __init__(self, count):
        self.images = torch.zeros(count, 5, 5)
        for image in self.images:
            image[torch.randint(5, ())] = 1
            image[:, torch.randint(5, ())] = 1
            image[torch.rand(5, 5) < 0.05] = 0

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index]


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(25, 20)
        self.mean, self.log_variance = nn.Linear(20, 3), nn.Linear(20, 3)
        self.leave = nn.Sequential(nn.Linear(3, 20), nn.ReLU(), nn.Linear(20, 25))

    def encode(self, x):
        h = F.relu(self.enter(x.view(-1, 25)))
        return self.mean(h), self.log_variance(h)

    def reparameterize(self, mean, log_variance):
        if not self.training:
            return mean
        deviation = torch.exp(0.5 * log_variance)
        return mean + torch.randn_like(deviation) * deviation

    def decode(self, z):
        return torch.sigmoid(self.leave(z))

    def forward(self, x):
        mean, log_variance = self.encode(x)
        return self.decode(self.reparameterize(mean, log_variance)), mean, log_variance


def losses(seen, x, mean, log_variance):
    picture = F.binary_cross_entropy(seen, x.view(-1, 25), reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    return picture, divergence


loader = DataLoader(Patterns(100), batch_size=args.batch_size, shuffle=True)
model = VAE().to(device)
optimizer = optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(1, args.epochs + 1):
    model.train()
    sums = torch.zeros(2)
    for x in loader:
        x = x.to(device)
        picture, divergence = losses(*model(x)[:1], x, *model.encode(x))
        loss = picture + divergence
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sums += torch.stack([picture, divergence]).detach()
    print("epoch {}: picture {:.3f}, divergence {:.3f}".format(epoch, *(sums / len(loader.dataset))))
model.eval()
with torch.no_grad():
    made = model.decode(torch.randn(4, 3))
    print(made.view(4, 5, 5).shape, bool((made > 0).all() and (made < 1).all()))
    walk = torch.stack([torch.lerp(torch.zeros(3), torch.ones(3), t) for t in torch.linspace(0, 1, 3)])
    print(model.decode(walk).round(decimals=2)[:, 10:15])
