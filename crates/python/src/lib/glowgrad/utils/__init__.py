"""`torch.utils`."""

from glowgrad.utils import data
