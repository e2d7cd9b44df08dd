"""`torch.cuda`: what a program asks before it chooses a device. Without CUDA it answers as PyTorch does there."""

import glowgrad as _torch


def is_available():
    """Whether `device="cuda"` computes here."""
    try:
        return _torch.device("cuda").type == "cuda"
    except RuntimeError:
        return False


def device_count():
    return 1 if is_available() else 0


def is_initialized():
    return is_available()


def is_bf16_supported(including_emulation=True):
    return is_available()


def _needed():
    if not is_available():
        raise AssertionError("Torch not compiled with CUDA enabled: no CUDA device computes here; use the CPU")


def current_device():
    _needed()
    return 0


def get_device_name(device=None):
    _needed()
    return "cuda"


def set_device(device):
    """There is one device of a kind, so that nothing changes."""
    _needed()


def synchronize(device=None):
    """Values wait for the device when they are read."""
    _needed()


def empty_cache():
    """Memory goes back by itself."""


def manual_seed(seed):
    """Ignored, as in PyTorch without CUDA: `torch.manual_seed` seeds the numbers of every device."""
    int(seed)


manual_seed_all = manual_seed
