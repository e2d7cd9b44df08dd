"""A network of layers that all look alike: a product, then a bend."""

from torch import nn


class MLP(nn.Module):
    """Linear layers of these sizes with ReLU between them; images are flattened.

    It reads [N, ...] with sizes[0] features in all, and gives [N, sizes[-1]].

    >>> torch.models.MLP(64, 32, 10)(torch.zeros(5, 8, 8)).shape
    """

    def __init__(self, *sizes, dropout=0.0):
        super().__init__()
        if len(sizes) < 2:
            raise ValueError(f"MLP takes at least two sizes, as MLP(784, 128, 10), not {sizes}")
        layers = []
        for i, (n_in, n_out) in enumerate(zip(sizes, sizes[1:])):
            if i > 0:
                layers += [nn.ReLU(), nn.Dropout(dropout)] if dropout else [nn.ReLU()]
            layers.append(nn.Linear(n_in, n_out))
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x.flatten(1))
