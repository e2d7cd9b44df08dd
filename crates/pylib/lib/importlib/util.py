"""`importlib.util`: whether a module is there."""

import sys


def find_spec(name, package=None):
    """Where a module comes from; None where there is none."""
    if name in sys.modules:
        return sys.modules[name].__spec__
    parent = name.rpartition(".")[0]
    path = None
    if parent:
        __import__(parent)
        path = getattr(sys.modules[parent], "__path__", None)
    for finder in sys.meta_path:
        try:
            spec = finder.find_spec(name, path)
        except ModuleNotFoundError:
            return None  # The last one says what to import instead.
        if spec is not None:
            return spec
    return None
