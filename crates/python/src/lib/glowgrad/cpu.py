"""`torch.cpu`: the processor, asked as other devices are."""

__all__ = [
    "Event", "Stream", "StreamContext", "current_device", "current_stream", "device_count",
    "get_capabilities", "is_available", "is_initialized", "set_device", "stream", "synchronize",
]


def is_available():
    """Whether the processor computes: it does.

    >>> torch.cpu.is_available()
    """
    return True


def is_initialized():
    """Whether the processor is ready.

    >>> torch.cpu.is_initialized()
    """
    return True


def device_count():
    """How many processors there are: one.

    >>> torch.cpu.device_count()
    """
    return 1


def current_device():
    """The name of the processor.

    >>> torch.cpu.current_device()
    """
    return "cpu"


def set_device(device):
    """Changes nothing.

    >>> torch.cpu.set_device("cpu")
    """


def synchronize(device=None):
    """Waits for nothing.

    >>> torch.cpu.synchronize()
    """


def get_capabilities():
    """What the processor can do besides, which the engine does not tell.

    >>> torch.cpu.get_capabilities()
    """
    return {}


class Stream:
    """A row of work of the processor.

    >>> torch.cpu.Stream().wait_stream(None)
    """

    def __init__(self, priority=-1):
        pass

    def wait_stream(self, stream):
        """Waits for nothing. >>> torch.cpu.Stream().wait_stream(None)"""

    def record_event(self):
        """Does nothing. >>> torch.cpu.Stream().record_event()"""

    def wait_event(self, event):
        """Waits for nothing. >>> torch.cpu.Stream().wait_event(None)"""


class Event:
    """A point in time of the processor.

    >>> torch.cpu.Event().query()
    """

    def __init__(self, enable_timing=False):
        pass

    def query(self):
        """Whether it has come. >>> torch.cpu.Event().query()"""
        return True

    def record(self, stream=None):
        """Does nothing. >>> torch.cpu.Event().record()"""

    def synchronize(self):
        """Waits for nothing. >>> torch.cpu.Event().synchronize()"""

    def wait(self, stream=None):
        """Waits for nothing. >>> torch.cpu.Event().wait()"""


_stream = Stream()


def current_stream(device=None):
    """The row of work of the processor: there is one.

    >>> torch.cpu.current_stream() is torch.cpu.current_stream()
    """
    return _stream


class StreamContext:
    """Under `with`, work goes to this row: there is one.

    >>> with torch.cpu.StreamContext(torch.cpu.Stream()):
    >>>     print(torch.ones(1))
    """

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return False


def stream(stream):
    """Under `with`, work goes to this row: there is one.

    >>> with torch.cpu.stream(torch.cpu.Stream()):
    >>>     print(torch.ones(1))
    """
    return StreamContext(stream)
