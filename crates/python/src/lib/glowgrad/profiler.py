"""`torch.profiler`: names for stretches of a program. What ran, and how long, is in the Kernels view."""

import enum

from glowgrad.autograd.profiler import profile, record_function

__all__ = ["ProfilerActivity", "profile", "record_function", "schedule", "tensorboard_trace_handler"]


class ProfilerActivity(enum.Enum):
    """Whose work a profile would show.

    >>> torch.profiler.ProfilerActivity.CPU
    """

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """When a profile would record. It refuses, as `profile` does."""
    profile()


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """Where a profile would be written. It refuses, as `profile` does."""
    profile()
