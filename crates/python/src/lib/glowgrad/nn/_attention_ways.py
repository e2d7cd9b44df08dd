"""Which of PyTorch's ways of attention may be taken: here there is one, and all may."""

from contextlib import contextmanager
from enum import IntEnum


class SDPBackend(IntEnum):
    """A way in which PyTorch computes attention.

    >>> nn.attention.SDPBackend.MATH
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __repr__(self):
        return f"<SDPBackend.{self.name}: {self.value}>"

    def __str__(self):
        return f"SDPBackend.{self.name}"


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Under `with`, attention is computed in one of these ways, which all give the same.

    >>> with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
    >>>     print(torch.ones(1))
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    yield {}
