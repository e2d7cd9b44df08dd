"""The newer transforms, `transforms.v2`: those of `transforms`, and a few of its own."""

import glowgrad as torch
from glowgrad import nn

from . import *
from . import __all__ as _OLDER
from . import functional as F
from .._image import Image

__all__ = [*_OLDER, "Identity", "RGB", "ToDtype", "ToImage", "ToPureTensor"]


class ToImage(nn.Module):
    """Makes a tensor of an image's bytes.

    >>> from torchvision.transforms import v2
    >>> v2.ToImage()(torch.rand(3, 4, 5)).shape
    """

    def forward(self, inpt):
        if isinstance(inpt, torch.Tensor):
            return inpt
        if isinstance(inpt, Image):
            return F.pil_to_tensor(inpt)
        x = torch.from_numpy(inpt)
        return (x.unsqueeze(-1) if x.dim() == 2 else x).permute(2, 0, 1).contiguous()


class ToDtype(nn.Module):
    """Gives a tensor another dtype; with `scale`, 255 is 1.0.

    >>> from torchvision.transforms import v2
    >>> v2.ToDtype(torch.float32, scale=True)(torch.full((1, 1, 1), 255, dtype=torch.uint8))
    """

    def __init__(self, dtype, scale=False):
        super().__init__()
        self.dtype, self.scale = dtype, scale

    def forward(self, inpt):
        if not isinstance(inpt, torch.Tensor):
            return inpt
        return F.convert_image_dtype(inpt, self.dtype) if self.scale else inpt.to(self.dtype)


class Identity(nn.Module):
    """Changes nothing.

    >>> from torchvision.transforms import v2
    >>> v2.Identity()(3)
    """

    def forward(self, inpt):
        return inpt


class ToPureTensor(Identity):
    """Changes nothing: tensors of images are tensors here.

    >>> from torchvision.transforms import v2
    >>> v2.ToPureTensor()(torch.ones(1))
    """


class RGB(nn.Module):
    """Makes three channels of one.

    >>> from torchvision.transforms import v2
    >>> v2.RGB()(torch.rand(1, 4, 5)).shape
    """

    def forward(self, inpt):
        if isinstance(inpt, Image):
            return inpt.convert("RGB")
        return inpt.expand(*inpt.shape[:-3], 3, *inpt.shape[-2:]) if inpt.shape[-3] == 1 else inpt
