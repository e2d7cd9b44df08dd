"""Images of random numbers, to try a program without data."""

import glowgrad as torch

from ..transforms import ToPILImage
from .vision import VisionDataset


class FakeData(VisionDataset):
    """Images of random numbers, the same ones for the same index.

    >>> from torchvision.datasets import FakeData
    >>> image, label = FakeData(size=4, image_size=(3, 8, 8))[0]
    >>> image.size
    """

    def __init__(self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None,
                 target_transform=None, random_offset=0):
        super().__init__(transform=transform, target_transform=target_transform)
        self.size, self.image_size = size, image_size
        self.num_classes, self.random_offset = num_classes, random_offset

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        before = torch.get_rng_state()
        torch.manual_seed(index + self.random_offset)
        image = torch.randn(*self.image_size)
        target = torch.randint(0, self.num_classes, size=(1,), dtype=torch.long)[0]
        torch.set_rng_state(before)
        image, target = self._pair(ToPILImage()(image), target)
        return image, target.item()

    def __len__(self):
        return self.size
