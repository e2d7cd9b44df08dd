"""Two networks against each other (Goodfellow and others, 2014): one makes points, one tells them from real ones."""

import torch
import torch.nn.functional as F
from torch import nn


def _network(n_in, hidden, n_out):
    return nn.Sequential(
        nn.Linear(n_in, hidden), nn.LeakyReLU(0.2),
        nn.Linear(hidden, hidden), nn.LeakyReLU(0.2),
        nn.Linear(hidden, n_out),
    )


class GAN(nn.Module):
    """A generator and a discriminator of points [N, dim].

    >>> torch.models.GAN().sample(5).shape
    """

    def __init__(self, dim=2, noise=8, hidden=64):
        super().__init__()
        self.noise = noise
        self.generator = _network(noise, hidden, dim)
        self.discriminator = _network(dim, hidden, 1)

    def sample(self, n):
        """Points of the generator, [n, dim].

        >>> torch.models.GAN(dim=3).sample(4).shape
        """
        where = next(self.generator.parameters()).device
        return self.generator(torch.randn(n, self.noise, device=where))

    def discriminator_loss(self, real):
        """How badly the discriminator tells real points from made ones; the generator gets no gradient.

        >>> torch.models.GAN().discriminator_loss(torch.zeros(4, 2)).ndim
        """
        of_real = self.discriminator(real)
        of_made = self.discriminator(self.sample(len(real)).detach())
        return (
            F.binary_cross_entropy_with_logits(of_real, torch.ones_like(of_real))
            + F.binary_cross_entropy_with_logits(of_made, torch.zeros_like(of_made))
        )

    def generator_loss(self, n):
        """How badly n made points pass for real.

        >>> torch.models.GAN().generator_loss(4).ndim
        """
        of_made = self.discriminator(self.sample(n))
        return F.binary_cross_entropy_with_logits(of_made, torch.ones_like(of_made))
