"""Helpers around training, as in torch.utils."""

from . import data
