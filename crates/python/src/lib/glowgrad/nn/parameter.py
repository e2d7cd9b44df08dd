"""`torch.nn.parameter`: tensors that a module learns, and those that it keeps."""

from glowgrad._later import _later
from glowgrad._tensor import Parameter

_LATER = {"buffer": ("Buffer",)}
__getattr__, __dir__ = _later(__name__, _LATER, "glowgrad.nn")
