"""Networks that say an image in few numbers, and draw it again from them."""

import torch
import torch.nn.functional as F
from torch import nn


class Autoencoder(nn.Module):
    """Linear layers down to `code` numbers and up again; images have values from 0 to 1.

    It reads [N, pixels] or [N, ...] with as many values, and gives [N, pixels].

    >>> torch.models.Autoencoder(64, 32, 2)(torch.zeros(3, 8, 8)).shape
    """

    def __init__(self, pixels=784, hidden=128, code=2):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU(), nn.Linear(hidden, code))
        self.decoder = nn.Sequential(
            nn.Linear(code, hidden), nn.ReLU(), nn.Linear(hidden, pixels), nn.Sigmoid()
        )

    def forward(self, x):
        return self.decoder(self.encoder(x.flatten(1)))

    def loss(self, x):
        """The mean squared difference of image and drawing.

        >>> torch.models.Autoencoder(64, 32, 2).loss(torch.zeros(3, 64)).ndim
        """
        return F.mse_loss(self(x), x.flatten(1))


class VAE(nn.Module):
    """A variational autoencoder (Kingma and Welling, 2013): a code is drawn from a normal distribution.

    Layers and names are those of PyTorch's example `vae`. It reads [N, pixels] or [N, ...] and gives the drawing
    [N, pixels], the means and the logarithms of the variances [N, code].

    >>> drawing, mu, logvar = torch.models.VAE()(torch.zeros(2, 1, 28, 28))
    >>> mu.shape
    """

    def __init__(self, pixels=784, hidden=400, code=20):
        super().__init__()
        self.fc1 = nn.Linear(pixels, hidden)
        self.fc21 = nn.Linear(hidden, code)
        self.fc22 = nn.Linear(hidden, code)
        self.fc3 = nn.Linear(code, hidden)
        self.fc4 = nn.Linear(hidden, pixels)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc21(h), self.fc22(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.flatten(1))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar

    def loss(self, x):
        """What the drawing misses, and how far the codes are from a standard normal distribution; summed, in nats.

        >>> torch.models.VAE().loss(torch.zeros(2, 784)).ndim
        """
        drawing, mu, logvar = self(x)
        missed = F.binary_cross_entropy(drawing, x.flatten(1), reduction="sum")
        far = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return missed + far
