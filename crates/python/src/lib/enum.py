"""Enumerations: `Enum`, `IntEnum`, `StrEnum`, `Flag`, `IntFlag` and `auto`."""

import sys


class auto:
    """The next value."""


class _Namespace(dict):
    def __init__(self):
        super().__init__()
        self.names = []

    def __setitem__(self, name, value):
        hidden = name.startswith("_") or hasattr(value, "__get__")
        if not hidden:
            if name in self.names:
                raise TypeError(f"{name!r} already defined as {self[name]!r}")
            if isinstance(value, auto):
                make = self.get("_generate_next_value_", self.default_next)
                value = make(name, 1, len(self.names), [self[n] for n in self.names])
            self.names.append(name)
        super().__setitem__(name, value)


def _count(name, start, count, last_values):
    numbers = [value for value in last_values if isinstance(value, int)]
    return max(numbers) + 1 if numbers else start


def _double(name, start, count, last_values):
    return 1 << max((value.bit_length() for value in last_values), default=0)


class EnumType(type):
    @classmethod
    def __prepare__(metaclass, name, bases, **kwargs):
        namespace = _Namespace()
        base = bases[-1] if bases else None
        namespace.default_next = getattr(base, "_next_", _count)
        return namespace

    def __new__(metaclass, name, bases, namespace, **kwargs):
        members = {name: namespace[name] for name in namespace.names}
        for base in bases:
            if isinstance(base, EnumType) and base._member_map_:
                raise TypeError(f"<enum {name!r}> cannot extend {base!r}")
        rest = {key: value for key, value in namespace.items() if key not in members}
        cls = super().__new__(metaclass, name, bases, rest)
        cls._member_map_ = {}
        cls._value2member_map_ = {}
        data = next((b for b in cls.__mro__ if b in (int, str, float)), None)
        for member_name, value in members.items():
            alias = cls._value2member_map_.get(value) if _hashable(value) else None
            if alias is not None:
                cls._member_map_[member_name] = alias
                type.__setattr__(cls, member_name, alias)
                continue
            member = data.__new__(cls, value) if data else object.__new__(cls)
            member._name_, member._value_ = member_name, value
            if "__init__" in rest:
                member.__init__(*(value if isinstance(value, tuple) else (value,)))
            cls._member_map_[member_name] = member
            if _hashable(value):
                cls._value2member_map_[value] = member
            type.__setattr__(cls, member_name, member)
        return cls

    def __call__(cls, value, names=None, **kwargs):
        if names is not None:
            names = names.replace(",", " ").split() if isinstance(names, str) else names
            pairs = names.items() if isinstance(names, dict) else (
                name if isinstance(name, tuple) else (name, index)
                for index, name in enumerate(names, 1)
            )
            namespace = type(cls).__prepare__(value, (cls,))
            for name, number in pairs:
                namespace[name] = number
            return type(cls)(value, (cls,), namespace)
        if isinstance(value, cls):
            return value
        if _hashable(value) and value in cls._value2member_map_:
            return cls._value2member_map_[value]
        for member in cls:
            if member._value_ == value:
                return member
        found = cls._missing_(value)
        if found is None:
            raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
        return found

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __iter__(cls):
        seen = []
        for member in cls._member_map_.values():
            if not any(member is other for other in seen):
                seen.append(member)
        return iter(seen)

    def __len__(cls):
        return len(list(iter(cls)))

    def __contains__(cls, value):
        return isinstance(value, cls) or any(member._value_ == value for member in cls)

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get("_member_map_", {}):
            raise AttributeError(f"cannot reassign member {name!r}")
        super().__setattr__(name, value)

    @property
    def __members__(cls):
        return dict(cls._member_map_)

    def __repr__(cls):
        return f"<enum {cls.__name__!r}>"


EnumMeta = EnumType


def _hashable(value):
    try:
        hash(value)
    except TypeError:
        return False
    return True


class Enum(metaclass=EnumType):
    _next_ = staticmethod(_count)

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_

    @classmethod
    def _missing_(cls, value):
        return None

    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        return f"{type(self).__name__}.{self._name_}"

    def __hash__(self):
        return hash(self._name_)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class IntEnum(int, Enum):
    __str__ = int.__repr__
    __hash__ = int.__hash__


class StrEnum(str, Enum):
    _next_ = staticmethod(lambda name, start, count, last_values: name.lower())
    __str__ = str.__str__
    __hash__ = str.__hash__


class Flag(Enum):
    _next_ = staticmethod(_double)

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value) if issubclass(cls, int) else object.__new__(cls)
        names = [m._name_ for m in cls if m._value_ and m._value_ & value == m._value_]
        member._name_, member._value_ = "|".join(names) or None, value
        cls._value2member_map_[value] = member
        return member

    def __or__(self, other):
        return type(self)(self._value_ | _bits(other))

    def __and__(self, other):
        return type(self)(self._value_ & _bits(other))

    def __xor__(self, other):
        return type(self)(self._value_ ^ _bits(other))

    def __invert__(self):
        every = 0
        for member in type(self):
            every |= member._value_
        return type(self)(every & ~self._value_)

    def __contains__(self, other):
        return other._value_ & self._value_ == other._value_

    def __bool__(self):
        return bool(self._value_)


def _bits(thing):
    return thing._value_ if isinstance(thing, Enum) else thing


class IntFlag(int, Flag):
    __hash__ = int.__hash__


KEEP = "keep"


def global_enum(cls, update_str=False):
    """Makes the members names of the module that defines the enumeration."""
    vars(sys.modules[cls.__module__]).update(cls._member_map_)
    module = cls.__module__.split(".")[-1]

    def __repr__(self):
        names = self._name_.split("|") if self._name_ else [repr(self._value_)]
        return "|".join(f"{module}.{name}" for name in names)

    type.__setattr__(cls, "__repr__", __repr__)
    return cls


def _simple_enum(etype, *, boundary=None, use_args=None):
    """Makes an enumeration of a plain class."""

    def convert(cls):
        namespace = EnumType.__prepare__(cls.__name__, (etype,))
        for name, value in vars(cls).items():
            if name not in ("__dict__", "__weakref__"):
                namespace[name] = value
        return EnumType(cls.__name__, (etype,), namespace)

    return convert


def unique(cls):
    """Refuses two names for one value."""
    for name, member in cls._member_map_.items():
        if name != member._name_:
            raise ValueError(f"duplicate values found in {cls!r}: {name} -> {member._name_}")
    return cls
