"""The contents of modules that Python here cannot have, and that a program may import all the same.

Every name is a class, so that `except requests.Timeout` and `class Handler(http.server.BaseHTTPRequestHandler)` are
understood; a call of it raises an error that says why it cannot be.
"""


class _Refused(type):
    def __call__(cls, *args, **kwargs):
        raise OSError(f"{cls.__module__}.{cls.__qualname__}: {cls._why}")

    def __getattr__(cls, name):
        return _added(cls, cls.__module__, f"{cls.__qualname__}.{name}", cls._why, name)


def _added(owner, module, path, why, name):
    """The class of this name, which its owner keeps from now on."""
    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    made = _Refused(name, (Exception,), {"__module__": module, "__qualname__": path, "_why": why})
    setattr(owner, name, made)
    return made


def fill(module, why):
    """Gives a module names that refuse to be called, whatever they are."""

    def __getattr__(name):
        return _added(module, module.__name__, name, why, name)

    module.__getattr__ = __getattr__
