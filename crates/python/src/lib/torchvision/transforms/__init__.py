"""Transforms of images: of tensors [..., C, H, W], and of the images that data sets give."""

from . import functional
from .colours import ColorJitter, GaussianBlur, Grayscale, RandomGrayscale, RandomInvert
from .colours import RandomPosterize, RandomSolarize
from .functional import InterpolationMode
from .places import CenterCrop, FiveCrop, Pad, RandomAffine, RandomCrop, RandomErasing
from .places import RandomHorizontalFlip, RandomResizedCrop, RandomRotation, RandomVerticalFlip
from .places import Resize, TenCrop
from .transforms import Compose, ConvertImageDtype, Lambda, LinearTransformation, Normalize
from .transforms import PILToTensor, RandomApply, RandomChoice, RandomOrder, RandomTransforms
from .transforms import ToPILImage, ToTensor

__all__ = [
    "Compose", "ToTensor", "PILToTensor", "ConvertImageDtype", "ToPILImage", "Normalize", "Resize",
    "CenterCrop", "Pad", "Lambda", "RandomTransforms", "RandomApply", "RandomChoice", "RandomOrder",
    "RandomCrop", "RandomHorizontalFlip", "RandomVerticalFlip", "RandomResizedCrop", "FiveCrop",
    "TenCrop", "LinearTransformation", "ColorJitter", "RandomRotation", "RandomAffine", "Grayscale",
    "RandomGrayscale", "RandomErasing", "GaussianBlur", "InterpolationMode", "RandomInvert",
    "RandomPosterize", "RandomSolarize", "functional",
]


def __getattr__(name):
    if name == "v2":
        return __import__(f"{__name__}.v2", None, None, ["Compose"])
    if name in ("RandomPerspective", "RandomAdjustSharpness", "RandomAutocontrast",
                "RandomEqualize", "ElasticTransform", "AutoAugment", "AutoAugmentPolicy",
                "RandAugment", "TrivialAugmentWide", "AugMix"):
        raise NotImplementedError(
            f"transforms.{name} is not here; transforms.Lambda takes a function of your own"
        )
    raise AttributeError(f"module 'torchvision.transforms' has no attribute {name!r}")
