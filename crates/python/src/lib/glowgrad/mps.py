"""`torch.mps`: Apple's GPUs, which compute as the device "webgpu" or "wgpu" here."""


def is_available():
    """Whether `device="mps"` computes: never; `device="wgpu"` uses Apple's GPUs.

    >>> torch.mps.is_available()
    """
    return False


def device_count():
    """How many devices of the kind "mps" compute: none.

    >>> torch.mps.device_count()
    """
    return 0


def manual_seed(seed):
    """Does nothing: `torch.manual_seed` seeds the numbers of every device.

    >>> torch.mps.manual_seed(0)
    """
    int(seed)


def _refusing(name):
    def function(*args, **kwargs):
        raise RuntimeError(f'{name}: without MPS backend; Apple\'s GPUs compute as device "wgpu"')

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Raises: there is no MPS backend.\n\n>>> callable(torch.mps.{name})"
    return function


for _name in (
    "current_allocated_memory", "driver_allocated_memory", "empty_cache", "get_rng_state",
    "recommended_max_memory", "seed", "set_per_process_memory_fraction", "set_rng_state",
    "synchronize",
):
    globals()[_name] = _refusing(_name)
del _name
