"""Transforms that are made of others, and those between images and tensors."""

import random

import glowgrad as torch
from glowgrad import nn

from . import functional as F


def _listed(head, transforms, first=()):
    return "\n".join([f"{head}(", *first, *[f"    {each}" for each in transforms], ")"])


class Compose:
    """Transforms one after another.

    >>> from torchvision import transforms
    >>> transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
    """

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, img):
        for each in self.transforms:
            img = each(img)
        return img

    def __repr__(self):
        return _listed(type(self).__name__, self.transforms)


class ToTensor:
    """Makes a tensor of numbers from 0 to 1 of an image or an array of bytes.

    >>> from torchvision import transforms
    >>> transforms.ToTensor()
    """

    def __call__(self, pic):
        return F.to_tensor(pic)

    def __repr__(self):
        return f"{type(self).__name__}()"


class PILToTensor:
    """Makes a tensor of an image's bytes.

    >>> from torchvision import transforms
    >>> transforms.PILToTensor()
    """

    def __call__(self, pic):
        return F.pil_to_tensor(pic)

    def __repr__(self):
        return f"{type(self).__name__}()"


class ConvertImageDtype(nn.Module):
    """Gives a tensor of an image another dtype, its numbers scaled.

    >>> from torchvision import transforms
    >>> transforms.ConvertImageDtype(torch.float)(torch.ones(1, 1, 1, dtype=torch.uint8))
    """

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, image):
        return F.convert_image_dtype(image, self.dtype)


class ToPILImage:
    """Makes an image of a tensor [C, H, W] or an array [H, W, C].

    >>> from torchvision import transforms
    >>> transforms.ToPILImage()(torch.rand(3, 4, 5)).size
    """

    def __init__(self, mode=None):
        self.mode = mode

    def __call__(self, pic):
        return F.to_pil_image(pic, self.mode)

    def __repr__(self):
        return f"{type(self).__name__}({'' if self.mode is None else f'mode={self.mode}'})"


class Normalize(nn.Module):
    """Takes each channel's mean away and divides by its deviation.

    >>> from torchvision import transforms
    >>> transforms.Normalize((0.5,), (0.5,))(torch.ones(1, 1, 2))
    """

    def __init__(self, mean, std, inplace=False):
        super().__init__()
        self.mean, self.std, self.inplace = mean, std, inplace

    def forward(self, tensor):
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self):
        return f"{type(self).__name__}(mean={self.mean}, std={self.std})"


class Lambda:
    """Calls a function of your own.

    >>> from torchvision import transforms
    >>> transforms.Lambda(lambda x: x * 2)(3)
    """

    def __init__(self, lambd):
        if not callable(lambd):
            raise TypeError(
                f"Argument lambd should be callable, got {repr(type(lambd).__name__)}"
            )
        self.lambd = lambd

    def __call__(self, img):
        return self.lambd(img)

    def __repr__(self):
        return f"{type(self).__name__}()"


class RandomTransforms:
    """What transforms of a list at random have in common.

    >>> from torchvision import transforms
    >>> transforms.RandomTransforms([transforms.ToTensor()])
    """

    def __init__(self, transforms):
        if not isinstance(transforms, (list, tuple)):
            raise TypeError("Argument transforms should be a sequence")
        self.transforms = transforms

    def __call__(self, *args, **kwargs):
        raise NotImplementedError

    def __repr__(self):
        return _listed(type(self).__name__, self.transforms)


class RandomApply(nn.Module):
    """All of some transforms, or none of them.

    >>> from torchvision import transforms
    >>> transforms.RandomApply([transforms.ToTensor()], p=0.3)
    """

    def __init__(self, transforms, p=0.5):
        super().__init__()
        self.transforms, self.p = transforms, p

    def forward(self, img):
        if self.p < torch.rand(1):
            return img
        for each in self.transforms:
            img = each(img)
        return img

    def __repr__(self):
        return _listed(type(self).__name__, self.transforms, [f"    p={self.p}"])


class RandomOrder(RandomTransforms):
    """Some transforms in an order drawn anew.

    >>> from torchvision import transforms
    >>> transforms.RandomOrder([transforms.ToTensor()])
    """

    def __call__(self, img):
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img


class RandomChoice(RandomTransforms):
    """One of some transforms, drawn anew each time.

    >>> from torchvision import transforms
    >>> transforms.RandomChoice([transforms.ToTensor()])
    """

    def __init__(self, transforms, p=None):
        super().__init__(transforms)
        if p is not None and not isinstance(p, (list, tuple)):
            raise TypeError("Argument p should be a sequence")
        self.p = p

    def __call__(self, *args):
        return random.choices(self.transforms, weights=self.p)[0](*args)

    def __repr__(self):
        return f"{super().__repr__()}(p={self.p})"


class LinearTransformation(nn.Module):
    """Multiplies the numbers of an image, less a mean, by a square matrix.

    >>> from torchvision import transforms
    >>> transforms.LinearTransformation(torch.eye(4), torch.zeros(4))(torch.ones(1, 2, 2))
    """

    def __init__(self, transformation_matrix, mean_vector):
        super().__init__()
        rows, columns = transformation_matrix.size()
        if rows != columns:
            raise ValueError(
                "transformation_matrix should be square. Got "
                f"{tuple(transformation_matrix.size())} rectangular matrix."
            )
        if mean_vector.size(0) != rows:
            raise ValueError(
                f"mean_vector should have the same length {mean_vector.size(0)} as any one of the "
                f"dimensions of the transformation_matrix [{tuple(transformation_matrix.size())}]"
            )
        self.transformation_matrix, self.mean_vector = transformation_matrix, mean_vector

    def forward(self, tensor):
        shape = tensor.shape
        flat = tensor.reshape(-1, shape[-3] * shape[-2] * shape[-1]) - self.mean_vector
        return torch.mm(flat, self.transformation_matrix).reshape(shape)

    def __repr__(self):
        return (
            f"{type(self).__name__}(transformation_matrix={self.transformation_matrix.tolist()}"
            f", mean_vector={self.mean_vector.tolist()})"
        )
