"""Images in folders: the name of a folder is the class of the images in it."""

import os

from .vision import VisionDataset

IMG_EXTENSIONS = (".png", ".jpg", ".jpeg")


def default_loader(path):
    """The image in a file, as RGB.

    >>> from torchvision.datasets.folder import default_loader
    """
    from PIL import Image

    return Image.open(path).convert("RGB")


class DatasetFolder(VisionDataset):
    """Samples in files below ROOT/CLASS, read by a function of the path.

    >>> from torchvision.datasets import DatasetFolder
    """

    def __init__(self, root, loader, extensions=None, transform=None, target_transform=None, is_valid_file=None,
                 allow_empty=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        if (extensions is None) == (is_valid_file is None):
            raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
        self.loader, self.extensions = loader, extensions
        wanted = is_valid_file or (lambda path: path.lower().endswith(tuple(extensions)))
        self.classes, self.class_to_idx = self.find_classes(self.root)
        self.samples = []
        for name in self.classes:
            before = len(self.samples)
            for path in _files_below(os.path.join(self.root, name)):
                if wanted(path):
                    self.samples.append((path, self.class_to_idx[name]))
            if len(self.samples) == before and not allow_empty:
                raise FileNotFoundError(f"Found no valid file for the classes {name}.")
        self.targets = [target for _, target in self.samples]

    def find_classes(self, directory):
        """The names of the folders in a folder, and the number of each.

        >>> from torchvision.datasets import DatasetFolder
        >>> DatasetFolder.find_classes
        """
        names = sorted(name for name in os.listdir(directory) if os.path.isdir(os.path.join(directory, name)))
        if not names:
            raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
        return names, {name: i for i, name in enumerate(names)}

    def __getitem__(self, index):
        path, target = self.samples[index]
        return self._pair(self.loader(path), target)

    def __len__(self):
        return len(self.samples)


def _files_below(folder):
    found = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        found += _files_below(path) if os.path.isdir(path) else [path]
    return found


class ImageFolder(DatasetFolder):
    """PNG and JPEG images in files below ROOT/CLASS.

    >>> from torchvision.datasets import ImageFolder
    """

    def __init__(self, root, transform=None, target_transform=None, loader=default_loader, is_valid_file=None,
                 allow_empty=False):
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(root, loader, extensions, transform, target_transform, is_valid_file, allow_empty)
        self.imgs = self.samples
