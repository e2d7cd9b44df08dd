"""`importlib`: modules by names that are texts."""

import sys


def _absolute(name, package):
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    if not package:
        raise TypeError(f"the 'package' argument is required to perform a relative import for {name!r}")
    parts = package.split(".")
    if dots > len(parts):
        raise ImportError("attempted relative import beyond top-level package")
    return ".".join(parts[: len(parts) - dots + 1] + [name[dots:]])


def import_module(name, package=None):
    """The module with this name, imported if it was not."""
    name = _absolute(name, package)
    __import__(name)
    return sys.modules[name]


def invalidate_caches():
    """Nothing is kept of where modules were looked for."""


def reload(module):
    """The module, run again in its namespace."""
    spec = module.__spec__
    spec.loader.exec_module(module)
    return module
