"""Type hints: every name a lesson's annotations use. Nothing is checked at run time."""

import collections
import collections.abc as _abc
from _typing import (
    Generic as _NativeGeneric,
    ParamSpec,
    TypeAliasType,
    TypeVar,
    TypeVarTuple,
)
from types import GenericAlias as _GenericAlias

TYPE_CHECKING = False


class _Form:
    """A name such as `Any`, or with brackets such as `Optional[int]`."""

    def __init__(self, name, parameters=None):
        self._name, self.__args__ = name, parameters

    def __getitem__(self, parameters):
        if not isinstance(parameters, tuple):
            parameters = (parameters,)
        return _Form(self._name, parameters)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"Cannot instantiate {self!r}")

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]

    def __eq__(self, other):
        return isinstance(other, _Form) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        if self.__args__ is None:
            return f"typing.{self._name}"
        parts = [
            part.__name__ if isinstance(part, type) else "..." if part is ... else repr(part)
            for part in self.__args__
        ]
        return f"typing.{self._name}[{', '.join(parts)}]"


Any = _Form("Any")
Union = _Form("Union")
Optional = _Form("Optional")
Literal = _Form("Literal")
Final = _Form("Final")
ClassVar = _Form("ClassVar")
Annotated = _Form("Annotated")
NoReturn = _Form("NoReturn")
Never = _Form("Never")
Self = _Form("Self")
LiteralString = _Form("LiteralString")
TypeAlias = _Form("TypeAlias")
TypeGuard = _Form("TypeGuard")
Concatenate = _Form("Concatenate")
Unpack = _Form("Unpack")
Required = _Form("Required")
NotRequired = _Form("NotRequired")
ReadOnly = _Form("ReadOnly")
Callable = _Form("Callable")
AnyStr = TypeVar("AnyStr")
Text = str

List, Dict, Set, FrozenSet, Tuple, Type = list, dict, set, frozenset, tuple, type
Deque, DefaultDict = collections.deque, collections.defaultdict
OrderedDict, Counter, ChainMap = collections.OrderedDict, collections.Counter, collections.ChainMap
Iterable, Iterator, Generator, Collection = (
    _abc.Iterable, _abc.Iterator, _abc.Generator, _abc.Collection,
)
Sequence, MutableSequence = _abc.Sequence, _abc.MutableSequence
Mapping, MutableMapping = _abc.Mapping, _abc.MutableMapping
AbstractSet, MutableSet = _abc.Set, _abc.MutableSet
Hashable, Sized, Container, Reversible = (
    _abc.Hashable, _abc.Sized, _abc.Container, _abc.Reversible,
)


class Generic:
    """`class Stack(Generic[T])`: brackets are accepted and forgotten."""

    __slots__ = ()

    def __class_getitem__(cls, parameters):
        return cls


class Protocol(Generic):
    """A class that others match by their methods."""

    __slots__ = ()


def runtime_checkable(cls):
    return cls


class _NamedTupleMeta(type):
    def __new__(metaclass, name, bases, namespace):
        if not bases:
            return super().__new__(metaclass, name, bases, namespace)
        hints = namespace.get("__annotations__", {})
        if not hints and "__annotate__" in namespace:
            hints = namespace["__annotate__"](1)
        if not hints and "__annotate_func__" in namespace:
            hints = namespace["__annotate_func__"](1)
        fields = list(hints)
        defaults = [namespace[field] for field in fields if field in namespace]
        cls = collections.namedtuple(
            name, fields, defaults=defaults, module=namespace.get("__module__")
        )
        cls.__annotations__ = dict(hints)
        for key, value in namespace.items():
            if key not in fields and key not in ("__module__", "__qualname__", "__annotations__"):
                if not key.startswith("__annotate") and key != "__classdictcell__":
                    setattr(cls, key, value)
        return cls


class NamedTuple(metaclass=_NamedTupleMeta):
    """`class Point(NamedTuple): x: int; y: int = 0`."""


class TypedDict(dict):
    """A dict whose keys are annotated."""


def NewType(name, base):
    def make(value):
        return value

    make.__name__ = make.__qualname__ = name
    make.__supertype__ = base
    return make


def cast(kind, value):
    return value


def overload(function):
    return function


def no_type_check(function):
    return function


def final(function):
    return function


def override(function):
    return function


def assert_type(value, kind):
    return value


def assert_never(value):
    raise AssertionError(f"Expected code to be unreachable, but got: {value!r}")


def reveal_type(value):
    print(f"Runtime type is {type(value).__name__!r}")
    return value


def get_type_hints(thing, globalns=None, localns=None, include_extras=False):
    hints = {}
    for base in reversed(getattr(thing, "__mro__", (thing,))):
        hints.update(getattr(base, "__annotations__", {}))
    return hints


def get_origin(kind):
    if isinstance(kind, _Form):
        return _Form(kind._name) if kind.__args__ is not None else None
    return getattr(kind, "__origin__", None)


def get_args(kind):
    return getattr(kind, "__args__", None) or ()
