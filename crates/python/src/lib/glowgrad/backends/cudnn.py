"""`torch.backends.cudnn`: there is no cuDNN here.

Its settings hold what they are given and change nothing.
"""

import sys as _sys
from contextlib import contextmanager as _contextmanager

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True
benchmark_limit = 10


def is_available():
    return False


def version():
    return None


def is_acceptable(tensor):
    return False


def set_flags(_enabled=None, _benchmark=None, _benchmark_limit=None, _deterministic=None,
              _allow_tf32=None, _fp32_precision="none"):
    own = _sys.modules[__name__].__dict__
    before = enabled, benchmark, benchmark_limit, deterministic, allow_tf32
    names = "enabled benchmark benchmark_limit deterministic allow_tf32".split()
    given = _enabled, _benchmark, _benchmark_limit, _deterministic, _allow_tf32
    own.update({name: value for name, value in zip(names, given) if value is not None})
    return before


@_contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False,
          allow_tf32=True, fp32_precision="none"):
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32)
    try:
        yield
    finally:
        set_flags(*before)
