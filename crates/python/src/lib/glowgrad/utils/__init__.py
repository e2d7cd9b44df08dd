"""`torch.utils`: data sets, checkpoints and handles of hooks, loaded when first asked for."""

from glowgrad._later import _later

_LATER = {"checkpoint": (), "data": (), "hooks": ()}
__getattr__, __dir__ = _later(__name__, _LATER, __name__)
