"""`torch.cuda`: what a program asks before it chooses a device.

Without CUDA it answers as PyTorch does there.
"""

import glowgrad as _torch
from glowgrad._later import _later

# Loaded when first asked for.
_ANSWERS = (
    "CUDAGraph CudaError Event OutOfMemoryError Stream StreamContext can_device_access_peer "
    "current_blas_handle current_stream default_generators default_stream device device_of "
    "get_allocator_backend get_arch_list get_device_capability get_device_properties "
    "get_gencode_flags get_per_process_memory_fraction get_rng_state get_rng_state_all "
    "get_sync_debug_mode has_half has_magma host_memory_stats init initial_seed ipc_collect "
    "is_current_stream_capturing is_tf32_supported list_gpu_processes make_graphed_callables "
    "max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory_allocated "
    "memory_cached memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict "
    "memory_summary reset_accumulated_memory_stats reset_max_memory_allocated "
    "reset_max_memory_cached reset_peak_memory_stats seed seed_all "
    "set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream "
    "set_sync_debug_mode stream"
).split()
__getattr__, __dir__ = _later(__name__, {"amp": (), "_answers": _ANSWERS}, __name__)


def is_available():
    """Whether `device="cuda"` computes here.

    >>> torch.cuda.is_available() in (True, False)
    """
    try:
        return _torch.device("cuda")._opened() == "cuda"
    except RuntimeError:
        return False


def device_count():
    """How many CUDA devices compute here: one or none.

    >>> torch.cuda.device_count() in (0, 1)
    """
    return 1 if is_available() else 0


def is_initialized():
    """Whether a CUDA device is ready.

    >>> torch.cuda.is_initialized() in (True, False)
    """
    return is_available()


def is_bf16_supported(including_emulation=True):
    """Whether the CUDA device computes in bfloat16.

    >>> torch.cuda.is_bf16_supported() in (True, False)
    """
    return is_available()


def _needed():
    if not is_available():
        raise AssertionError(
            "Torch not compiled with CUDA enabled: no CUDA device computes here; use the CPU"
        )


def current_device():
    """The number of the current CUDA device.

    >>> callable(torch.cuda.current_device)
    """
    _needed()
    return 0


def get_device_name(device=None):
    """The name of a CUDA device.

    >>> callable(torch.cuda.get_device_name)
    """
    _needed()
    return "cuda"


def set_device(device):
    """Changes nothing: there is one device of a kind.

    >>> callable(torch.cuda.set_device)
    """
    _needed()


def synchronize(device=None):
    """Waits for nothing: values wait for the device when they are read.

    >>> callable(torch.cuda.synchronize)
    """
    _needed()


def empty_cache():
    """Does nothing: memory goes back by itself.

    >>> torch.cuda.empty_cache()
    """


def manual_seed(seed):
    """Does nothing: `torch.manual_seed` seeds the numbers of every device.

    >>> torch.cuda.manual_seed(0)
    """
    int(seed)


manual_seed_all = manual_seed
