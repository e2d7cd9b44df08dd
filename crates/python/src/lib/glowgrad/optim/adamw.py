"""`torch.optim.adamw`: Adam with decoupled weight decay; it stands beside Adam."""

from glowgrad.optim.adam import AdamW

__all__ = ["AdamW"]
