"""`torch.backends.mha`: whether attention may take a shorter way; kept."""

_fastpath_enabled = True


def get_fastpath_enabled():
    return _fastpath_enabled


def set_fastpath_enabled(value):
    global _fastpath_enabled
    _fastpath_enabled = value
