"""`torch.backends.mkldnn`: there is no oneDNN here. Its settings hold what they are given."""

from contextlib import contextmanager

enabled, deterministic, allow_tf32, fp32_precision = True, False, True, "none"
VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2


def is_available():
    return False


class verbose:
    def __init__(self, level):
        self.level = level

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


@contextmanager
def flags(enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none"):
    yield
