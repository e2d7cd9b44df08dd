"""Names for stretches of a program. What ran, and how long, is in the Kernels view."""

from contextlib import ContextDecorator

__all__ = ["profile", "record_function"]


class record_function(ContextDecorator):
    """A name for what runs under `with`, or in a decorated function.

    >>> with torch.autograd.profiler.record_function("square"):
    >>>     y = torch.ones(2) ** 2
    >>> y
    """

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


class profile:
    """Would time a program; the Kernels view shows what ran and how long.

    >>> import time
    >>> start = time.perf_counter()
    >>> y = torch.ones(2) ** 2
    >>> time.perf_counter() - start < 60
    """

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            "profile: the Kernels view shows what ran and how long; time.perf_counter() measures "
            "a stretch of a program"
        )
