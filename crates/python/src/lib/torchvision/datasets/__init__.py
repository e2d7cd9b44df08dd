"""The data sets of tutorials, read from files that lie under `root`."""

from .cifar import CIFAR10, CIFAR100
from .fakedata import FakeData
from .folder import DatasetFolder, ImageFolder
from .mnist import EMNIST, KMNIST, MNIST, QMNIST, FashionMNIST
from .vision import VisionDataset

__all__ = [
    "CIFAR10", "CIFAR100", "DatasetFolder", "EMNIST", "FakeData", "FashionMNIST", "ImageFolder", "KMNIST", "MNIST",
    "QMNIST", "VisionDataset",
]


def __getattr__(name):
    if name[:1].isupper():
        raise NotImplementedError(
            f"torchvision.datasets.{name} is not here; "
            "write a torch.utils.data.Dataset that reads your files"
        )
    raise AttributeError(f"module 'torchvision.datasets' has no attribute {name!r}")
