"""Functions of `torch` for numbers that PyTorch's compiler may not know yet; events, streams."""

import math


def sym_int(a):
    """A number cut to an integer. >>> torch.sym_int(3.7)"""
    return int(a)


def sym_float(a):
    """A number as a float. >>> torch.sym_float(2)"""
    return float(a)


def sym_not(a):
    """The opposite of a truth. >>> torch.sym_not(True)"""
    return not a


def sym_ite(b, t, f):
    """One of two values, chosen by a truth. >>> torch.sym_ite(True, 1, 2)"""
    if not isinstance(b, bool) or type(t) is not type(f):
        raise AssertionError("sym_ite: expected a bool and two values of one type")
    return t if b else f


def _extreme(name, of, says):
    def function(a, b):
        result = of(a, b)
        return float(result) if isinstance(a, float) or isinstance(b, float) else result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{says} >>> torch.{name}(1, 2.5)"
    return function


sym_max = _extreme("sym_max", max, "The larger of two numbers, a float where one is.")
sym_min = _extreme("sym_min", min, "The smaller of two numbers, a float where one is.")


def sym_sqrt(a):
    """The square root of a number. >>> torch.sym_sqrt(4)"""
    return math.sqrt(a)


def sym_sum(*args):
    """The sum of several numbers, or of a list. >>> torch.sym_sum([1, 2, 3])"""
    return sum(args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)


def get_device_module(device=None):
    """The module of a kind of device, such as `torch.cpu`.

    >>> torch.get_device_module("cpu").current_device()
    """
    import glowgrad

    if device is None:
        accelerator = glowgrad.accelerator.current_accelerator()
        device = "cpu" if accelerator is None else accelerator
    name = getattr(device, "type", str(device).partition(":")[0])
    if name not in ("cpu", "cuda", "mps", "xpu"):
        raise RuntimeError(
            f"Device '{name}' does not have a corresponding module registered as 'torch.{name}'."
        )
    return getattr(glowgrad, name)


class Event:
    """A point in time of a device; `elapsed_time` gives the milliseconds between two.

    >>> a, b = torch.Event("cpu", enable_timing=True), torch.Event("cpu", enable_timing=True)
    >>> a.record(), b.record()
    >>> a.elapsed_time(b) >= 0
    """

    __module__ = "torch"

    def __init__(self, device=None, *, enable_timing=False, blocking=False, interprocess=False):
        self._time = None

    def record(self, stream=None):
        """Marks this moment. >>> torch.Event("cpu").record()"""
        from time import perf_counter

        self._time = perf_counter()

    def synchronize(self):
        """Waits for nothing. >>> torch.Event("cpu").synchronize()"""

    def wait(self, stream=None):
        """Waits for nothing. >>> torch.Event("cpu").wait()"""

    def query(self):
        """Whether it has come. >>> torch.Event("cpu").query()"""
        return True

    def elapsed_time(self, other):
        """Milliseconds from this event to another.

        >>> a = torch.Event("cpu")
        >>> a.record()
        >>> a.elapsed_time(a)
        """
        if self._time is None or other._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return 1000.0 * (other._time - self._time)


class Stream:
    """A row of work of a device: all of it stands in one row.

    >>> torch.Stream("cpu").query()
    """

    __module__ = "torch"

    def __init__(self, device=None, *, priority=0):
        from glowgrad import device as kind

        self.device = kind("cpu" if device is None else device)

    def query(self):
        """Whether all is done. >>> torch.Stream("cpu").query()"""
        return True

    def synchronize(self):
        """Waits for nothing. >>> torch.Stream("cpu").synchronize()"""

    def wait_event(self, event):
        """Waits for nothing. >>> torch.Stream("cpu").wait_event(None)"""

    def wait_stream(self, other):
        """Waits for nothing. >>> torch.Stream("cpu").wait_stream(None)"""

    def record_event(self, event=None):
        """An event of now. >>> torch.Stream("cpu").record_event().query()"""
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False
