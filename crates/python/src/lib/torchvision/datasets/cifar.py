"""CIFAR-10 and CIFAR-100: the Python version's files (pickles), or the binary version's."""

import os
import pickle

import glowgrad as torch

from .._image import Image
from .vision import VisionDataset, decoded


class _Array:
    """An array in a pickle, of which the numbers are kept."""

    def __init__(self, *args):
        self.shape, self.data = (0,), b""

    def __setstate__(self, state):
        _, self.shape, _, _, self.data = state
        if isinstance(self.data, str):
            self.data = self.data.encode("latin1")


class _Reader(pickle.Unpickler):
    """Reads the data set's pickles: lists, texts and arrays of bytes."""

    def find_class(self, module, name):
        if module.startswith("numpy") and name in ("_reconstruct", "ndarray", "dtype"):
            return _Array if name != "dtype" else _Kind
        if (module, name) == ("_codecs", "encode"):
            return lambda text, encoding: text.encode(encoding)
        raise pickle.UnpicklingError(f"{module}.{name} is not read from a data set's file")


class _Kind:
    def __init__(self, *args):
        pass

    def __setstate__(self, state):
        pass


class CIFAR10(VisionDataset):
    """Small photographs of ten kinds, from the files under ROOT/cifar-10-batches-py or -bin.

    >>> from torchvision.datasets import CIFAR10
    >>> CIFAR10.base_folder
    """

    base_folder = "cifar-10-batches-py"
    _binary_folder = "cifar-10-batches-bin"
    _train, _test = [f"data_batch_{i}" for i in range(1, 6)], ["test_batch"]
    _key = "labels"
    classes = [
        "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
    ]

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        parts, self.targets = [], []
        for name in self._train if train else self._test:
            images, labels = self._part(name)
            parts.append(images)
            self.targets.extend(labels)
        self._images = torch.cat(parts)
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    def _part(self, name):
        folder = os.path.join(self.root, self.base_folder)
        if os.path.isfile(os.path.join(folder, name)):
            with open(os.path.join(folder, name), "rb") as file:
                entry = _Reader(file, encoding="latin1").load()
            array = entry["data"]
            images = torch.frombuffer(array.data, dtype=torch.uint8)
            return images.reshape(-1, 3, 32, 32), entry[self._key]
        folders = [folder, os.path.join(self.root, self._binary_folder), str(self.root)]
        tensors = dict(decoded(folders[1:], name + ".bin", "cifar", classes=len(self.classes)).tensors)
        return tensors["images"], tensors["labels"].tolist()

    @property
    def data(self):
        return self._images.permute(0, 2, 3, 1).contiguous().numpy()

    def __getitem__(self, index):
        return self._pair(Image(self._images[index], "RGB"), self.targets[index])

    def __len__(self):
        return len(self._images)

    def extra_repr(self):
        """The part of the data set: train or test.

        >>> from torchvision.datasets import CIFAR10
        >>> CIFAR10.extra_repr
        """
        return f"Split: {'Train' if self.train is True else 'Test'}"


class CIFAR100(CIFAR10):
    """Small photographs of a hundred kinds, from the files under ROOT/cifar-100-python.

    >>> from torchvision.datasets import CIFAR100
    >>> CIFAR100.base_folder
    """

    base_folder = "cifar-100-python"
    _binary_folder = "cifar-100-binary"
    _train, _test = ["train"], ["test"]
    _key = "fine_labels"
    classes = (
        "apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge "
        "bus butterfly camel can castle caterpillar cattle chair chimpanzee clock cloud "
        "cockroach couch crab crocodile cup dinosaur dolphin elephant flatfish forest fox "
        "girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster man "
        "maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree "
        "pear pickup_truck pine_tree plain plate poppy porcupine possum rabbit raccoon ray "
        "road rocket rose sea seal shark shrew skunk skyscraper snail snake spider squirrel "
        "streetcar sunflower sweet_pepper table tank telephone television tiger tractor train "
        "trout tulip turtle wardrobe whale willow_tree wolf woman worm"
    ).split()
