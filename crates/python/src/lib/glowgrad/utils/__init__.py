"""`torch.utils`: data sets, checkpoints and handles of hooks. Each module is loaded when it is first asked for."""

import sys as _sys

__all__ = ("checkpoint", "data", "hooks")


def __getattr__(name):
    if name in __all__:
        __import__(f"{__name__}.{name}")
        return globals()[name]
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}", name=name, obj=_sys.modules[__name__]
    )


def __dir__():
    return sorted({*globals(), *__all__})
