"""`torch.profiler`: names for stretches of a program. What ran, and how long, is in the Kernels view."""

import enum

from glowgrad.autograd.profiler import profile, record_function

__all__ = ["ProfilerActivity", "profile", "record_function", "schedule", "tensorboard_trace_handler"]


class ProfilerActivity(enum.Enum):
    """Whose work a profile would show.

    >>> torch.profiler.ProfilerActivity.CPU
    """

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


def schedule(**options):
    """When a profile would record; `profile` refuses.

    >>> torch.profiler.schedule(wait=1, warmup=1, active=3)
    """
    return options


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """Where a profile would be written; `profile` refuses.

    >>> torch.profiler.tensorboard_trace_handler("runs")
    """
    return dir_name
