"""`torch._dynamo`, as programs call it: its settings hold what they are given, no more."""

from types import SimpleNamespace

from glowgrad.compiler import allow_in_graph, disable, is_compiling, reset

config = SimpleNamespace(
    cache_size_limit=8, capture_scalar_outputs=False, disable=False, recompile_limit=8,
    suppress_errors=False, verbose=False,
)


def optimize(*args, **kwargs):
    """A decorator that gives the function as it is."""
    return lambda fn: fn


def graph_break(msg=""):
    """Does nothing: there is no graph to break."""


def mark_dynamic(t, index, **kwargs):
    """Does nothing: sizes may always differ."""


def mark_static(t, index=None):
    """Does nothing: sizes may always differ."""
