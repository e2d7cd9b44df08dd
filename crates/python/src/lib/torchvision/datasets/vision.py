"""What the data sets share: their transforms, their print, and the search for a file."""

import os

from glowgrad._codec import decode
from glowgrad.utils.data import Dataset


class StandardTransform:
    """A transform of the image and one of the target."""

    def __init__(self, transform=None, target_transform=None):
        self.transform, self.target_transform = transform, target_transform

    def __call__(self, input, target):
        if self.transform is not None:
            input = self.transform(input)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return input, target

    def __repr__(self):
        lines = [type(self).__name__]
        for head, each in (
            ("Transform: ", self.transform), ("Target transform: ", self.target_transform)
        ):
            if each is not None:
                first, *others = repr(each).splitlines()
                lines += [head + first, *[" " * len(head) + line for line in others]]
        return "\n".join(lines)


class VisionDataset(Dataset):
    """A data set of images, with a transform of its images and one of its targets.

    >>> from torchvision.datasets import FakeData
    >>> FakeData(size=4)
    """

    _repr_indent = 4

    def __init__(self, root=None, transforms=None, transform=None, target_transform=None):
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        separate = transform is not None or target_transform is not None
        if transforms is not None and separate:
            raise ValueError(
                "Only transforms or transform/target_transform can be passed as argument"
            )
        self.transform, self.target_transform = transform, target_transform
        self.transforms = StandardTransform(transform, target_transform) if separate else transforms

    def _pair(self, image, target):
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __getitem__(self, index):
        raise NotImplementedError

    def __len__(self):
        raise NotImplementedError

    def extra_repr(self):
        """Lines for the print of the data set.

        >>> from torchvision.datasets import FakeData
        >>> FakeData(size=4).extra_repr()
        """
        return ""

    def __repr__(self):
        body = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            body.append(f"Root location: {self.root}")
        body += self.extra_repr().splitlines()
        if self.transforms is not None:
            body.append(repr(self.transforms))
        return "\n".join(["Dataset " + type(self).__name__, *[" " * 4 + line for line in body]])


def decoded(folders, name, format, **options):
    """What a file holds that is of this format: as it is or as NAME.gz, in the first folder that has it."""
    paths = [os.path.join(folder, name) for folder in folders]
    for path in paths + [path + ".gz" for path in paths]:
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            data = file.read()
        try:
            return decode(format, data, **options)
        except ValueError as error:
            raise RuntimeError(f"{path}: {error}") from None
    raise RuntimeError(
        "Dataset not found: nothing is downloaded here; "
        f"put the file {name} or {name}.gz into {folders[0]}"
    )
