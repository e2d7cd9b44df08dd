"""`torch.xpu`: Intel's GPUs, which compute as the device "webgpu" or "wgpu" here."""

from collections import OrderedDict


def _answer(name, value, says):
    def function(*args, **kwargs):
        if value is AssertionError:
            raise AssertionError("Torch not compiled with XPU enabled")
        return value() if callable(value) else value

    function.__name__ = function.__qualname__ = name
    example = f"callable(torch.xpu.{name})" if value is AssertionError else f"torch.xpu.{name}()"
    function.__doc__ = f"{says}\n\n>>> {example}"
    return function


for _names, _value, _says in (
    ("is_available is_initialized is_bf16_supported is_tf32_supported", False,
     'Whether `device="xpu"` computes: never.'),
    ("device_count memory_allocated memory_reserved max_memory_allocated max_memory_reserved", 0,
     "0, since there are no such devices."),
    ("empty_cache manual_seed manual_seed_all seed seed_all", None,
     "Does nothing: there are no such devices."),
    ("memory_stats", OrderedDict, "Counts of the memory of such a device: none are kept."),
    ("get_rng_state_all memory_snapshot get_arch_list", list, "None: there are no such devices."),
    ("current_device current_stream get_device_capability get_device_name get_device_properties "
     "get_rng_state init initial_seed mem_get_info set_device synchronize", AssertionError,
     "Raises: there are no such devices."),
):
    for _name in _names.split():
        globals()[_name] = _answer(_name, _value, _says)
del _names, _name, _value, _says
