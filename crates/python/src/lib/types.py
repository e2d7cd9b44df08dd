"""Names of the interpreter's own types."""

from _types import *


class DynamicClassAttribute(property):
    """A property that an enum may shadow by a member."""


def new_class(name, bases=(), kwds=None, exec_body=None):
    """Makes a class at run time."""
    namespace = {}
    if exec_body is not None:
        exec_body(namespace)
    kwds = dict(kwds or {})
    metaclass = kwds.pop("metaclass", type)
    return metaclass(name, bases, namespace, **kwds)
