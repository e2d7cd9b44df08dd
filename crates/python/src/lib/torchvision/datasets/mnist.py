"""MNIST and the data sets in its format: files of `idx` kind under ROOT/NAME/raw."""

import os

from .._image import Image
from .vision import VisionDataset, decoded


class MNIST(VisionDataset):
    """Handwritten digits, from the files under ROOT/MNIST/raw.

    >>> from torchvision.datasets import MNIST
    >>> MNIST.classes[:2]
    """

    classes = [
        "0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six",
        "7 - seven", "8 - eight", "9 - nine",
    ]
    _images, _labels = "{}-images-idx3-ubyte", "{}-labels-idx1-ubyte"

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        self.data, self.targets = self._load_data()

    def _names(self):
        kind = "train" if self.train else "t10k"
        return self._images.format(kind), self._labels.format(kind)

    def _load_data(self):
        folders = [self.raw_folder, os.path.dirname(self.raw_folder), str(self.root)]
        images, labels = (decoded(folders, name, "idx").only for name in self._names())
        return images, labels.long()

    @property
    def raw_folder(self):
        return os.path.join(self.root, type(self).__name__, "raw")

    @property
    def processed_folder(self):
        return os.path.join(self.root, type(self).__name__, "processed")

    @property
    def class_to_idx(self):
        return {name: i for i, name in enumerate(self.classes)}

    @property
    def train_data(self):
        return self._renamed("train_data", "data")

    @property
    def test_data(self):
        return self._renamed("test_data", "data")

    @property
    def train_labels(self):
        return self._renamed("train_labels", "targets")

    @property
    def test_labels(self):
        return self._renamed("test_labels", "targets")

    def _renamed(self, old, new):
        from warnings import warn

        warn(f"{old} has been renamed {new}")
        return getattr(self, new)

    def __getitem__(self, index):
        return self._pair(Image(self.data[index].unsqueeze(0), "L"), int(self.targets[index]))

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        """The part of the data set: train or test.

        >>> from torchvision.datasets import MNIST
        >>> MNIST.extra_repr
        """
        return f"Split: {'Train' if self.train is True else 'Test'}"


class FashionMNIST(MNIST):
    """Clothes in MNIST's format, from the files under ROOT/FashionMNIST/raw.

    >>> from torchvision.datasets import FashionMNIST
    >>> FashionMNIST.classes[:2]
    """

    classes = [
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag",
        "Ankle boot",
    ]


class KMNIST(MNIST):
    """Japanese letters in MNIST's format, from the files under ROOT/KMNIST/raw.

    >>> from torchvision.datasets import KMNIST
    >>> KMNIST.classes[:2]
    """

    classes = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]


class QMNIST(MNIST):
    """MNIST with all its test digits: not here.

    >>> from torchvision.datasets import QMNIST
    """

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("QMNIST is not here; MNIST is")


class EMNIST(MNIST):
    """Letters and digits in MNIST's format, from the files under ROOT/EMNIST/raw.

    >>> from torchvision.datasets import EMNIST
    >>> EMNIST.splits
    """

    splits = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")

    def __init__(self, root, split, train=True, transform=None, target_transform=None,
                 download=False):
        if split not in self.splits:
            raise ValueError(
                f"Unknown value '{split}' for argument split. "
                f"Valid values are {{{str(self.splits)[1:-1]}}}."
            )
        self.split = split
        super().__init__(root, train, transform, target_transform, download)

    def _names(self):
        kind = f"emnist-{self.split}-{'train' if self.train else 'test'}"
        return self._images.format(kind), self._labels.format(kind)
