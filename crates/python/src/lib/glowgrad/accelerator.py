"""`torch.accelerator`: the device besides the processor, whichever it is."""

from collections import OrderedDict

import _glowgrad as _C
import glowgrad as _torch

__all__ = [
    "current_accelerator", "current_device_idx", "current_device_index", "current_stream",
    "device_count", "device_index", "empty_cache", "empty_host_cache", "get_device_capability",
    "get_memory_info", "is_available", "max_memory_allocated", "max_memory_reserved",
    "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats",
    "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
]


def _kind():
    """The device that tensors are made on, else a CUDA device."""
    kind = _C.device_type()
    if kind != "cpu":
        return kind
    from glowgrad import cuda

    return "cuda" if cuda.is_available() else None


def is_available():
    """Whether another device than the processor computes: the default device, or CUDA.

    >>> torch.accelerator.is_available() in (True, False)
    """
    return _kind() is not None


def device_count():
    """How many devices compute besides the processor: one or none.

    >>> torch.accelerator.device_count() in (0, 1)
    """
    return 1 if is_available() else 0


def current_accelerator(check_available=False):
    """The device besides the processor; None without one.

    >>> torch.accelerator.current_accelerator(check_available=True)
    """
    kind = _kind()
    return None if kind is None else _torch.device(kind)


def _needed():
    if not is_available():
        raise RuntimeError(
            "Cannot access accelerator device when none is available: tensors are on the CPU"
        )


def current_device_index():
    """The number of the current device.

    >>> callable(torch.accelerator.current_device_index)
    """
    _needed()
    return 0


current_device_idx = current_device_index


def set_device_index(device, /):
    """Changes nothing: there is one device of a kind.

    >>> callable(torch.accelerator.set_device_index)
    """
    _needed()


set_device_idx = set_device_index


class device_index:
    """Under `with`, the device of this number is the current one.

    >>> with torch.accelerator.device_index(None):
    >>>     print(torch.ones(1))
    """

    def __init__(self, device, /):
        self.idx = device

    def __enter__(self):
        if self.idx is not None:
            _needed()

    def __exit__(self, *exception):
        return False


def synchronize(device=None, /):
    """Waits for nothing: values wait for the device when they are read.

    >>> callable(torch.accelerator.synchronize)
    """
    _needed()


def current_stream(device=None, /):
    """The row of work of the device: there is one.

    >>> callable(torch.accelerator.current_stream)
    """
    _needed()


def set_stream(stream):
    """Changes nothing: there is one row of work.

    >>> torch.accelerator.set_stream(None)
    """


def get_device_capability(device=None, /):
    """What the device can do: the dtypes that it computes in.

    >>> callable(torch.accelerator.get_device_capability)
    """
    _needed()
    return {"supported_dtypes": {_torch.float32, _torch.int64, _torch.bool}}


def get_memory_info(device_index=None, /):
    """The free and the whole memory of the device, which the engine does not tell.

    >>> callable(torch.accelerator.get_memory_info)
    """
    _needed()
    raise NotImplementedError(
        "get_memory_info: the engine does not tell; lab.memory() has what is held"
    )


def memory_stats(device_index=None, /):
    """Counts of the memory of the device: none are kept.

    >>> torch.accelerator.memory_stats()
    """
    return OrderedDict()


def _memory(name, which, says):
    def function(device_index=None, /):
        return _C.memory()[which] if is_available() else 0

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{says}\n\n>>> torch.accelerator.{name}()"
    return function


memory_allocated = _memory(
    "memory_allocated", 0, "How many bytes tensors take on the device; 0 without one."
)
memory_reserved = _memory(
    "memory_reserved", 0, "How many bytes are held on the device; 0 without one."
)
max_memory_allocated = _memory(
    "max_memory_allocated", 1, "The most bytes that tensors took on the device."
)
max_memory_reserved = _memory(
    "max_memory_reserved", 1, "The most bytes that were held on the device."
)


def _nothing(name):
    def function(*args):
        pass

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Does nothing: memory goes back by itself.\n\n>>> torch.accelerator.{name}()"
    return function


empty_cache = _nothing("empty_cache")
empty_host_cache = _nothing("empty_host_cache")
reset_peak_memory_stats = _nothing("reset_peak_memory_stats")
reset_accumulated_memory_stats = _nothing("reset_accumulated_memory_stats")
