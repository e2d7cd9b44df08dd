"""`torch.nn`'s dropout: random zeros while training."""

from glowgrad.nn import functional as F
from glowgrad.nn.module import Module

__all__ = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")


class _DropoutNd(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return getattr(F, self._function)(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Sets elements to 0 with probability p while training, and scales the rest up.

    >>> nn.Dropout(0.5).eval()(torch.ones(4))
    """

    _function = "dropout"


class Dropout1d(_DropoutNd):
    """Sets whole channels of signals to 0 with probability p while training.

    >>> nn.Dropout1d().eval()(torch.ones(2, 3, 4)).shape
    """

    _function = "dropout1d"


class Dropout2d(_DropoutNd):
    """Sets whole channels of images to 0 with probability p while training.

    >>> nn.Dropout2d().eval()(torch.ones(2, 3, 4, 4)).shape
    """

    _function = "dropout2d"


class Dropout3d(_DropoutNd):
    """Sets whole channels of volumes to 0 with probability p while training.

    >>> nn.Dropout3d().eval()(torch.ones(2, 3, 4, 4, 4)).shape
    """

    _function = "dropout3d"


class _AlphaDropout(_DropoutNd):
    def forward(self, input):
        # PyTorch's modules leave `inplace` out here.
        return getattr(F, self._function)(input, self.p, self.training)


class AlphaDropout(_AlphaDropout):
    """Dropout that keeps mean 0 and variance 1: for layers with SELU.

    >>> nn.AlphaDropout().eval()(torch.ones(4))
    """

    _function = "alpha_dropout"


class FeatureAlphaDropout(_AlphaDropout):
    """`AlphaDropout` of whole channels.

    >>> nn.FeatureAlphaDropout().eval()(torch.ones(2, 3, 4)).shape
    """

    _function = "feature_alpha_dropout"
