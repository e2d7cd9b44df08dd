"""`torch.optim.lr_scheduler`: schedules of the learning rate."""

from glowgrad.optim import _SCHEDULES
from glowgrad.optim._combined import ChainedScheduler, ReduceLROnPlateau, SequentialLR
from glowgrad.optim._cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from glowgrad.optim._factors import (
    ConstantLR, CosineAnnealingLR, ExponentialLR, LambdaLR, LinearLR, MultiplicativeLR,
    MultiStepLR, PolynomialLR, StepLR,
)
from glowgrad.optim._scheduler import LRScheduler

__all__ = list(_SCHEDULES)


class _LRScheduler(LRScheduler):
    """The base's name before PyTorch 2.0."""
