"""`torch.utils.tensorboard`: curves, histograms, images and texts of a training, as files that TensorBoard reads."""

from glowgrad.utils.tensorboard.writer import SummaryWriter

__all__ = ("SummaryWriter",)
