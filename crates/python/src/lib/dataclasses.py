"""Data classes: `__init__`, `__repr__`, comparison and the rest, from annotated fields."""

from types import MappingProxyType

_FIELDS = "__dataclass_fields__"


class _Missing:
    def __repr__(self):
        return "<dataclasses.MISSING>"


MISSING = _Missing()


class _KwOnly:
    pass


KW_ONLY = _KwOnly()


class FrozenInstanceError(AttributeError):
    pass


class InitVar:
    """An argument of `__init__` that goes to `__post_init__` and is not a field."""

    def __init__(self, type):
        self.type = type

    def __class_getitem__(cls, type):
        return InitVar(type)


class Field:
    __slots__ = (
        "name", "type", "default", "default_factory", "init", "repr", "hash", "compare",
        "metadata", "kw_only",
    )

    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = self.type = None
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.hash, self.compare = init, repr, hash, compare
        self.metadata = MappingProxyType(metadata or {})
        self.kw_only = kw_only

    def __repr__(self):
        return f"Field(name={self.name!r},type={self.type!r},default={self.default!r})"


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None,
          compare=True, metadata=None, kw_only=MISSING):
    """Says more about one field."""
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False,
              frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False):
    """Makes a data class of a class with annotated fields."""
    options = dict(init=init, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash,
                   frozen=frozen, match_args=match_args, kw_only=kw_only)
    if cls is None:
        return lambda cls: _process(cls, **options)
    return _process(cls, **options)


def _own_annotations(cls):
    # Annotations are inherited by lookup; only the class's own are its fields.
    own = cls.__dict__.get("__annotations__")
    if own is None:
        own = getattr(cls, "__annotations__", {})
        for base in cls.__mro__[1:]:
            if own is getattr(base, "__annotations__", None):
                return {}
    return own


def _process(cls, *, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only):
    if order and not eq:
        raise ValueError("eq must be true if order is true")
    fields = {}
    for base in cls.__mro__[-1:0:-1]:
        if _FIELDS in base.__dict__:
            fields.update(base.__dict__[_FIELDS])
            if base.__dataclass_params__["frozen"] != frozen:
                kinds = ("frozen", "non-frozen") if frozen else ("non-frozen", "frozen")
                raise TypeError("cannot inherit %s dataclass from a %s one" % kinds)
    for name, kind in _own_annotations(cls).items():
        if kind is KW_ONLY or kind == "KW_ONLY":
            kw_only = True
            continue
        if "ClassVar" in str(kind):
            continue
        default = cls.__dict__.get(name, MISSING)
        if isinstance(default, Field):
            item = default
            if item.default is MISSING:
                if name in cls.__dict__:
                    delattr(cls, name)
            else:
                setattr(cls, name, item.default)
        else:
            item = field(default=default)
        if item.default.__class__ in (list, dict, set):
            raise ValueError(
                f"mutable default {item.default.__class__} for field {name} is not allowed: "
                "use default_factory"
            )
        item.name, item.type = name, kind
        if item.kw_only is MISSING:
            item.kw_only = kw_only
        fields[name] = item
    everything = list(fields.values())
    own = [item for item in everything if not isinstance(item.type, InitVar)]
    ordered = [item for item in everything if item.init and not item.kw_only]
    seen_default = None
    for item in ordered:
        if item.default is not MISSING or item.default_factory is not MISSING:
            seen_default = item
        elif seen_default is not None and init:
            raise TypeError(
                f"non-default argument {item.name!r} follows default argument "
                f"{seen_default.name!r}"
            )
    setattr(cls, _FIELDS, {item.name: item for item in own})
    cls.__dataclass_params__ = dict(frozen=frozen, eq=eq, order=order)
    if init and "__init__" not in cls.__dict__:
        cls.__init__ = _make_init(cls.__name__, everything, ordered)
    if repr and "__repr__" not in cls.__dict__:
        cls.__repr__ = _repr
    compared = [item.name for item in own if item.compare]
    if eq and "__eq__" not in cls.__dict__:
        cls.__eq__ = _comparison(compared, lambda a, b: a == b)
    if order:
        cls.__lt__ = _comparison(compared, lambda a, b: a < b)
        cls.__le__ = _comparison(compared, lambda a, b: a <= b)
        cls.__gt__ = _comparison(compared, lambda a, b: a > b)
        cls.__ge__ = _comparison(compared, lambda a, b: a >= b)
    if frozen:
        cls.__setattr__ = _refuse_set
        cls.__delattr__ = _refuse_delete
    if unsafe_hash or (eq and frozen):
        hashed = [i.name for i in own if (i.compare if i.hash is None else i.hash)]
        cls.__hash__ = lambda self: hash(tuple([getattr(self, name) for name in hashed]))
    elif eq and "__hash__" not in cls.__dict__:
        cls.__hash__ = None
    if match_args and "__match_args__" not in cls.__dict__:
        cls.__match_args__ = tuple([item.name for item in ordered])
    cls.__replace__ = replace
    return cls


def _make_init(class_name, everything, ordered):
    positional = [item.name for item in ordered]
    needed = 1 + sum(i.default is MISSING and i.default_factory is MISSING for i in ordered)
    most = len(ordered) + 1
    takes = f"{most}" if needed == most else f"from {needed} to {most}"
    accepted = [item for item in everything if item.init]
    names = {item.name for item in accepted}

    def __init__(self, *args, **kwargs):
        if len(args) > len(positional):
            raise TypeError(
                f"{class_name}.__init__() takes {takes} positional arguments "
                f"but {len(args) + 1} were given"
            )
        given = dict(zip(positional, args))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(
                    f"{class_name}.__init__() got an unexpected keyword argument {name!r}"
                )
            if name in given:
                raise TypeError(f"{class_name}.__init__() got multiple values for argument {name!r}")
            given[name] = value
        missing, for_post_init = [], []
        for item in everything:
            if item.init and item.name in given:
                value = given[item.name]
            elif item.default_factory is not MISSING:
                value = item.default_factory()
            elif item.default is not MISSING:
                value = item.default
            else:
                if item.init:
                    missing.append(item.name)
                continue
            if isinstance(item.type, InitVar):
                for_post_init.append(value)
            else:
                object.__setattr__(self, item.name, value)
        if missing:
            plural = "s" if len(missing) > 1 else ""
            listed = " and ".join(map(repr, missing))
            raise TypeError(
                f"{class_name}.__init__() missing {len(missing)} required positional "
                f"argument{plural}: {listed}"
            )
        if hasattr(self, "__post_init__"):
            self.__post_init__(*for_post_init)

    return __init__


def _repr(self):
    parts = [
        f"{item.name}={getattr(self, item.name)!r}"
        for item in getattr(self, _FIELDS).values()
        if item.repr
    ]
    return f"{type(self).__qualname__}({', '.join(parts)})"


def _comparison(names, compare):
    def operation(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compare(
            tuple([getattr(self, name) for name in names]),
            tuple([getattr(other, name) for name in names]),
        )

    return operation


def _refuse_set(self, name, value):
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self, name):
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def fields(thing):
    """The fields of a data class or of an instance."""
    try:
        return tuple(getattr(thing, _FIELDS).values())
    except AttributeError:
        raise TypeError("must be called with a dataclass type or instance") from None


def is_dataclass(thing):
    return hasattr(thing if isinstance(thing, type) else type(thing), _FIELDS)


def asdict(instance, *, dict_factory=dict):
    """The fields as a dict, nested data classes included."""
    return _convert(instance, lambda pairs: dict_factory(pairs))


def astuple(instance, *, tuple_factory=tuple):
    """The fields as a tuple, nested data classes included."""
    return _convert(instance, lambda pairs: tuple_factory([value for _, value in pairs]))


def _convert(thing, make):
    if is_dataclass(thing) and not isinstance(thing, type):
        return make([(f.name, _convert(getattr(thing, f.name), make)) for f in fields(thing)])
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*[_convert(value, make) for value in thing])
    if isinstance(thing, (list, tuple)):
        return type(thing)([_convert(value, make) for value in thing])
    if isinstance(thing, dict):
        return type(thing)([(_convert(k, make), _convert(v, make)) for k, v in thing.items()])
    return thing


def replace(instance, /, **changes):
    """A copy with some fields changed."""
    for item in fields(instance):
        if not item.init:
            if item.name in changes:
                raise TypeError(f"field {item.name} is declared with init=False")
            continue
        if item.name not in changes:
            changes[item.name] = getattr(instance, item.name)
    return type(instance)(**changes)


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **options):
    """Makes a data class from a list of names, (name, type) or (name, type, default)."""
    namespace = dict(namespace or {})
    annotations = {}
    for item in fields:
        item = (item, object) if isinstance(item, str) else item
        annotations[item[0]] = item[1]
        if len(item) == 3:
            namespace[item[0]] = item[2]
    namespace["__annotations__"] = annotations
    return dataclass(type(cls_name, bases, namespace), **options)
