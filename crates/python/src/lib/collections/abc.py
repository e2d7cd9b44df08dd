"""Abstract base classes of containers: a class counts as one if it has the methods."""

from abc import ABCMeta, abstractmethod

_generator = type((lambda: (yield))())


def _has(cls, *methods):
    for method in methods:
        for base in cls.__mro__:
            if method in base.__dict__:
                if base.__dict__[method] is None:
                    return NotImplemented
                break
        else:
            return NotImplemented
    return True


def _by_methods(name, *methods, bases=()):
    def __subclasshook__(cls, other):
        return _has(other, *methods) if cls is made else NotImplemented

    namespace = {
        "__slots__": (),
        "__module__": "collections.abc",
        "__subclasshook__": classmethod(__subclasshook__),
        "__class_getitem__": classmethod(lambda cls, parameters: cls),
    }
    for method in methods:
        def missing(self, *args, **kwargs):
            raise NotImplementedError
        namespace[method] = abstractmethod(missing)
    made = ABCMeta(name, bases, namespace)
    return made


Hashable = _by_methods("Hashable", "__hash__")
Iterable = _by_methods("Iterable", "__iter__")
Container = _by_methods("Container", "__contains__")
Sized = _by_methods("Sized", "__len__")
Callable = _by_methods("Callable", "__call__")
Reversible = _by_methods("Reversible", "__reversed__", "__iter__", bases=(Iterable,))
Awaitable = _by_methods("Awaitable", "__await__")


class Iterator(Iterable):
    __slots__ = ()

    @abstractmethod
    def __next__(self):
        raise StopIteration

    def __iter__(self):
        return self

    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, "__iter__", "__next__") if cls is Iterator else NotImplemented


class Generator(Iterator):
    __slots__ = ()

    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, "__iter__", "__next__", "send", "throw", "close")


class Collection(Sized, Iterable, Container):
    __slots__ = ()

    @classmethod
    def __subclasshook__(cls, other):
        if cls is Collection:
            return _has(other, "__len__", "__iter__", "__contains__")
        return NotImplemented


class Sequence(Reversible, Collection):
    __slots__ = ()

    @abstractmethod
    def __getitem__(self, index):
        raise IndexError

    def __iter__(self):
        for index in range(len(self)):
            yield self[index]

    def __contains__(self, value):
        return any(item is value or item == value for item in self)

    def __reversed__(self):
        for index in reversed(range(len(self))):
            yield self[index]

    def index(self, value, start=0, stop=None):
        for index in range(start, len(self) if stop is None else stop):
            if self[index] is value or self[index] == value:
                return index
        raise ValueError

    def count(self, value):
        return sum(1 for item in self if item is value or item == value)


class MutableSequence(Sequence):
    __slots__ = ()

    def append(self, value):
        self.insert(len(self), value)

    def extend(self, values):
        for value in list(values):
            self.append(value)

    def pop(self, index=-1):
        value = self[index]
        del self[index]
        return value

    def remove(self, value):
        del self[self.index(value)]

    def __iadd__(self, values):
        self.extend(values)
        return self


class Set(Collection):
    __slots__ = ()


class MutableSet(Set):
    __slots__ = ()


class Mapping(Collection):
    __slots__ = ()

    @abstractmethod
    def __getitem__(self, key):
        raise KeyError

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        return list(self)

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())


class MutableMapping(Mapping):
    __slots__ = ()

    _missing = object()

    def pop(self, key, default=_missing):
        try:
            value = self[key]
        except KeyError:
            if default is self._missing:
                raise
            return default
        del self[key]
        return value

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other=(), /, **kwargs):
        pairs = other.items() if hasattr(other, "items") else other
        for key, value in pairs:
            self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def clear(self):
        for key in list(self):
            del self[key]


class KeysView(Set):
    __slots__ = ()


class ValuesView(Collection):
    __slots__ = ()


class ItemsView(Set):
    __slots__ = ()


for cls in (tuple, str, range, bytes):
    Sequence.register(cls)
for cls in (list, bytearray):
    MutableSequence.register(cls)
Set.register(frozenset)
MutableSet.register(set)
MutableMapping.register(dict)
Generator.register(_generator)
KeysView.register(type({}.keys()))
ValuesView.register(type({}.values()))
ItemsView.register(type({}.items()))
del cls
