"""What programs ask of `torch.cuda` besides: memory, streams, events, seeds."""

from collections import OrderedDict
from time import perf_counter

import _glowgrad as _C
import glowgrad as _torch
from glowgrad.cuda import _needed, is_available


def _answer(name, value, says, needs=False):
    """A function that gives the same whatever it is asked, here where there is one device or none."""

    def function(*args, **kwargs):
        if needs:
            _needed()
        return value() if callable(value) else value

    function.__name__ = function.__qualname__ = name
    example = f"callable(torch.cuda.{name})" if needs else f"torch.cuda.{name}()"
    function.__doc__ = f"{says}\n\n>>> {example}"
    return function


def _of_memory(which):
    return lambda: _C.memory()[which] if is_available() else 0


for _name, _which, _says in (
    ("memory_allocated", 0, "How many bytes tensors take on the CUDA device; 0 without one."),
    ("memory_reserved", 0, "How many bytes are held on the CUDA device; 0 without one."),
    ("memory_cached", 0, "As `torch.cuda.memory_reserved`, by its older name."),
    ("max_memory_allocated", 1, "The most bytes that tensors took on the CUDA device."),
    ("max_memory_reserved", 1, "The most bytes that were held on the CUDA device."),
    ("max_memory_cached", 1, "As `torch.cuda.max_memory_reserved`, by its older name."),
):
    globals()[_name] = _answer(_name, _of_memory(_which), _says)
for _name, _value, _says in (
    ("memory_stats", OrderedDict, "Counts of the memory of a CUDA device: none are kept."),
    ("memory_stats_as_nested_dict", dict, "As `torch.cuda.memory_stats`."),
    ("host_memory_stats", OrderedDict, "As `torch.cuda.memory_stats`, of the processor's memory."),
    ("memory_snapshot", list, "The pieces of a CUDA device's memory: none are told apart."),
    ("reset_peak_memory_stats", None, "Does nothing: `lab.memory` tells what is held."),
    ("reset_max_memory_allocated", None, "As `torch.cuda.reset_peak_memory_stats`."),
    ("reset_max_memory_cached", None, "As `torch.cuda.reset_peak_memory_stats`."),
    ("reset_accumulated_memory_stats", None, "As `torch.cuda.reset_peak_memory_stats`."),
    ("get_rng_state_all", list, "States of the random numbers of CUDA devices: they have none."),
    ("seed", None, "Does nothing: `torch.seed` seeds the numbers of every device."),
    ("seed_all", None, "As `torch.cuda.seed`."),
    ("get_arch_list", list, "What CUDA code was compiled for: kernels are made as they run."),
    ("get_gencode_flags", "", "What CUDA code was compiled for: kernels are made as they run."),
    ("is_tf32_supported", False, "Whether products are computed in TF32: they are not."),
    ("get_sync_debug_mode", 0, "What `torch.cuda.set_sync_debug_mode` may set; kept at 0."),
    ("is_current_stream_capturing", False, "Whether a CUDA graph is being captured: never."),
    ("get_allocator_backend", "native", "Who manages the memory of CUDA devices."),
    ("list_gpu_processes", "", "What else computes on a CUDA device: it is not known."),
):
    globals()[_name] = _answer(_name, _value, _says)
for _name, _value, _says in (
    ("init", None, "Makes the CUDA device ready; raises where none computes."),
    ("ipc_collect", None, "Does nothing; raises where no CUDA device computes."),
    ("get_device_capability", (0, 0), "The version of a CUDA device's abilities."),
    ("current_blas_handle", 0, "A number for PyTorch's own libraries."),
    ("initial_seed", _torch.initial_seed, "The seed of the random numbers."),
    ("get_rng_state", _torch.get_rng_state, "The state of the random numbers."),
    ("can_device_access_peer", False, "Whether two devices share memory: there is one."),
    ("set_per_process_memory_fraction", None, "Does nothing: memory is not limited."),
    ("get_per_process_memory_fraction", 1.0, "How much memory may be taken: all of it."),
    ("set_sync_debug_mode", None, "Does nothing."),
):
    globals()[_name] = _answer(_name, _value, _says, needs=True)
del _name, _value, _says, _which


def memory_summary(device=None, abbreviated=False):
    """What is known of the memory of a CUDA device, as text.

    >>> torch.cuda.memory_summary()
    """
    held, most = (_C.memory() if is_available() else (0, 0))
    return f"{held} bytes are held, {most} were at most"


def set_rng_state(new_state, device="cuda"):
    """Does nothing: `torch.set_rng_state` sets the numbers of every device.

    >>> torch.cuda.set_rng_state(torch.get_rng_state())
    """


def set_rng_state_all(new_states):
    """As `torch.cuda.set_rng_state`.

    >>> torch.cuda.set_rng_state_all([])
    """


def mem_get_info(device=None):
    """The free and the whole memory of a CUDA device, which the engine does not tell.

    >>> callable(torch.cuda.mem_get_info)
    """
    _needed()
    raise NotImplementedError("mem_get_info: the engine does not tell; lab.memory() has what is held")


class _Properties:
    name, major, minor, total_memory, multi_processor_count = "cuda", 0, 0, 0, 0

    def __repr__(self):
        return "_CudaDeviceProperties(name='cuda')"


def get_device_properties(device=None):
    """The name and the sizes of a CUDA device.

    >>> callable(torch.cuda.get_device_properties)
    """
    _needed()
    return _Properties()


class device:
    """Under `with`, the CUDA device of this number is the current one: there is one.

    >>> with torch.cuda.device(-1):
    >>>     print(torch.cuda.device_count())
    """

    def __init__(self, device):
        self.idx = device if isinstance(device, int) else getattr(device, "index", 0) or 0

    def __enter__(self):
        if self.idx >= 0:
            _needed()
        return self

    def __exit__(self, *exception):
        return False


class device_of(device):
    """Under `with`, the device of a tensor is the current one.

    >>> with torch.cuda.device_of(torch.ones(1)):
    >>>     print(torch.ones(1))
    """

    def __init__(self, obj):
        super().__init__(0 if getattr(obj, "is_cuda", False) else -1)


class Stream:
    """A row of work of a CUDA device: all of it stands in one row.

    >>> callable(torch.cuda.Stream)
    """

    def __init__(self, device=None, priority=0, **kwargs):
        _needed()
        self.device, self.priority, self.cuda_stream = _torch.device("cuda"), priority, 0

    def synchronize(self):
        """Waits for nothing: values wait when they are read.
        >>> callable(torch.cuda.Stream.synchronize)"""

    def wait_stream(self, stream):
        """Waits for nothing: work is done in its order.
        >>> callable(torch.cuda.Stream.wait_stream)"""

    wait_event = wait_stream

    def query(self):
        """Whether all is done. >>> callable(torch.cuda.Stream.query)"""
        return True

    def record_event(self, event=None):
        """An event of now. >>> callable(torch.cuda.Stream.record_event)"""
        event = Event(True) if event is None else event
        event.record(self)
        return event


class StreamContext:
    """Under `with`, work goes to a stream: there is one.

    >>> with torch.cuda.StreamContext(None):
    >>>     print(torch.ones(1))
    """

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return False


def stream(stream):
    """Under `with`, work goes to a stream: there is one.

    >>> with torch.cuda.stream(None):
    >>>     print(torch.ones(1))
    """
    return StreamContext(stream)


def current_stream(device=None):
    """The stream to which work goes.

    >>> callable(torch.cuda.current_stream)
    """
    return Stream(device)


default_stream = current_stream


def set_stream(stream):
    """Does nothing: there is one stream.

    >>> torch.cuda.set_stream(None)
    """


class Event:
    """A point in time on a CUDA device; `elapsed_time` gives the milliseconds between two.

    >>> torch.cuda.Event(enable_timing=True)
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self._time = None

    def record(self, stream=None):
        """Marks this moment. >>> callable(torch.cuda.Event.record)"""
        _needed()
        self._time = perf_counter()

    def synchronize(self):
        """Waits for nothing. >>> torch.cuda.Event().synchronize()"""

    def wait(self, stream=None):
        """Waits for nothing. >>> torch.cuda.Event().wait()"""

    def query(self):
        """Whether it has come. >>> torch.cuda.Event().query()"""
        return True

    def elapsed_time(self, end_event):
        """Milliseconds from this event to another.
        >>> callable(torch.cuda.Event.elapsed_time)"""
        if self._time is None or end_event._time is None:
            raise ValueError(
                "Both events must be recorded before calculating elapsed time."
            )
        return 1000.0 * (end_event._time - self._time)

    def __repr__(self):
        return "<torch.cuda.Event uninitialized>" if self._time is None else "<torch.cuda.Event>"


class CUDAGraph:
    """A step that a CUDA device runs again: `lab.train` captures one on every device.

    >>> callable(torch.cuda.CUDAGraph)
    """

    def __init__(self, keep_graph=False):
        _needed()
        raise NotImplementedError(
            "CUDAGraph: lab.train(step, batches) captures a step and runs it again"
        )


def make_graphed_callables(callables, sample_args, *args, **kwargs):
    """Functions as they are: `lab.train` captures a step on every device.

    >>> callable(torch.cuda.make_graphed_callables(torch.sin, (torch.ones(1),)))
    """
    return callables


CudaError, OutOfMemoryError = RuntimeError, _torch.OutOfMemoryError
has_half, has_magma, default_generators = True, False, ()
