"""Abstract base classes, on the interpreter's own `_abc`."""

from _abc import (
    _abc_init,
    _abc_instancecheck,
    _abc_register,
    _abc_subclasscheck,
    get_cache_token,
)


def abstractmethod(function):
    """Marks a method that a subclass must define."""
    function.__isabstractmethod__ = True
    return function


class abstractproperty(property):
    __isabstractmethod__ = True


class abstractclassmethod(classmethod):
    __isabstractmethod__ = True

    def __init__(self, function):
        function.__isabstractmethod__ = True
        super().__init__(function)


class abstractstaticmethod(staticmethod):
    __isabstractmethod__ = True

    def __init__(self, function):
        function.__isabstractmethod__ = True
        super().__init__(function)


class ABCMeta(type):
    """The class of abstract base classes."""

    def __new__(metaclass, name, bases, namespace, /, **kwargs):
        cls = super().__new__(metaclass, name, bases, namespace, **kwargs)
        _abc_init(cls)
        return cls

    def register(cls, subclass):
        """Makes `subclass` count as a subclass without inheriting."""
        return _abc_register(cls, subclass)

    def __instancecheck__(cls, instance):
        return _abc_instancecheck(cls, instance)

    def __subclasscheck__(cls, subclass):
        return _abc_subclasscheck(cls, subclass)


class ABC(metaclass=ABCMeta):
    """Inherit from this to make an abstract base class."""

    __slots__ = ()
