"""A Vision Transformer (Dosovitskiy and others, 2020), small enough for images of 32 by 32."""

import torch
from torch import nn


class ViT(nn.Module):
    """Patches of an image as a sequence, a class token before them, and a Transformer encoder.

    It reads [N, channels, size, size] and gives [N, classes].

    >>> torch.models.ViT(depth=1)(torch.zeros(2, 3, 32, 32)).shape
    """

    def __init__(self, size=32, patch=4, channels=3, classes=10, dim=64, depth=4, heads=4,
                 mlp_dim=128, dropout=0.0):
        super().__init__()
        if size % patch:
            raise ValueError(f"an image of {size} by {size} has no whole patches of {patch} by {patch}")
        self.patches = nn.Conv2d(channels, dim, patch, stride=patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.positions = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(
            dim, heads, mlp_dim, dropout, "gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(
            layer, depth, norm=nn.LayerNorm(dim), enable_nested_tensor=False
        )
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1)
        return self.head(self.encoder(x + self.positions)[:, 0])
