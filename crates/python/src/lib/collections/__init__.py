"""Containers: `deque` and `defaultdict` are the interpreter's own, the rest is here."""

from _collections import deque
from _operator import itemgetter as _itemgetter

try:
    from _collections import defaultdict
except ImportError:

    class defaultdict(dict):
        """A dict that makes values for missing keys."""

        def __init__(self, default_factory=None, /, *args, **kwargs):
            if default_factory is not None and not callable(default_factory):
                raise TypeError("first argument must be callable or None")
            super().__init__(*args, **kwargs)
            self.default_factory = default_factory

        def __missing__(self, key):
            if self.default_factory is None:
                raise KeyError(key)
            value = self[key] = self.default_factory()
            return value

        def __repr__(self):
            return f"defaultdict({self.default_factory!r}, {dict.__repr__(self)})"

        def copy(self):
            return type(self)(self.default_factory, self)

        __copy__ = copy


_KEYWORDS = frozenset(
    "False None True and as assert async await break class continue def del elif else except "
    "finally for from global if import in is lambda nonlocal not or pass raise return try while "
    "with yield".split()
)


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    """A subclass of tuple with named fields."""
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    names = [str(name) for name in field_names]
    if rename:
        seen = set()
        for index, name in enumerate(names):
            if not _valid(name) or name.startswith("_") or name in seen:
                names[index] = f"_{index}"
            seen.add(name)
    for name in [typename, *names]:
        if not _valid(name):
            raise ValueError(f"Type names and field names must be valid identifiers: {name!r}")
    for index, name in enumerate(names):
        if name.startswith("_") and not rename:
            raise ValueError(f"Field names cannot start with an underscore: {name!r}")
        if name in names[:index]:
            raise ValueError(f"Encountered duplicate field name: {name!r}")
    fields = tuple(names)
    defaults = tuple(defaults) if defaults is not None else ()
    if len(defaults) > len(fields):
        raise TypeError("Got more default values than field names")
    field_defaults = dict(zip(fields[len(fields) - len(defaults):], defaults))

    def __new__(cls, *args, **kwargs):
        if len(args) > len(fields):
            raise TypeError(
                f"{typename}.__new__() takes {len(fields) + 1} positional arguments "
                f"but {len(args) + 1} were given"
            )
        values = list(args)
        for name in fields[len(args):]:
            if name in kwargs:
                values.append(kwargs.pop(name))
            elif name in field_defaults:
                values.append(field_defaults[name])
            else:
                raise TypeError(
                    f"{typename}.__new__() missing 1 required positional argument: {name!r}"
                )
        for name in kwargs:
            problem = "multiple values for" if name in fields else "an unexpected keyword"
            raise TypeError(f"{typename}.__new__() got {problem} argument {name!r}")
        return tuple.__new__(cls, values)

    def _make(cls, iterable):
        values = tuple(iterable)
        if len(values) != len(fields):
            raise TypeError(f"Expected {len(fields)} arguments, got {len(values)}")
        return tuple.__new__(cls, values)

    def _replace(self, /, **changes):
        values = [changes.pop(name, value) for name, value in zip(fields, self)]
        if changes:
            raise TypeError(f"Got unexpected field names: {list(changes)!r}")
        return type(self)._make(values)

    def __repr__(self):
        parts = [f"{name}={value!r}" for name, value in zip(fields, self)]
        return f"{type(self).__name__}({', '.join(parts)})"

    namespace = {
        "__slots__": (),
        "__doc__": f"{typename}({', '.join(fields)})",
        "__new__": __new__,
        "__repr__": __repr__,
        "__replace__": _replace,
        "__match_args__": fields,
        "_fields": fields,
        "_field_defaults": field_defaults,
        "_make": classmethod(_make),
        "_replace": _replace,
        "_asdict": lambda self: dict(zip(fields, self)),
        "__module__": module or "__main__",
    }
    for index, name in enumerate(fields):
        namespace[name] = property(_itemgetter(index), doc=f"Alias for field number {index}")
    return type(typename, (tuple,), namespace)


def _valid(name):
    return name.isidentifier() and name not in _KEYWORDS


class OrderedDict(dict):
    """A dict that can move keys to its ends and compares with its order."""

    def popitem(self, last=True):
        if not self:
            raise KeyError("dictionary is empty")
        key = next(reversed(self) if last else iter(self))
        return key, self.pop(key)

    def move_to_end(self, key, last=True):
        value = self.pop(key)
        if last:
            self[key] = value
        else:
            rest = list(self.items())
            self.clear()
            self[key] = value
            self.update(rest)

    def copy(self):
        return type(self)(self)

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return list(self.items()) == list(other.items())
        return dict.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        return f"{type(self).__name__}({dict.__repr__(self) if self else ''})"


class Counter(dict):
    """A dict that counts."""

    def __init__(self, iterable=None, /, **kwargs):
        super().__init__()
        self.update(iterable, **kwargs)

    def __missing__(self, key):
        return 0

    def update(self, iterable=None, /, **kwargs):
        if iterable is not None:
            if hasattr(iterable, "items"):
                for key, count in iterable.items():
                    self[key] = self[key] + count
            else:
                for key in iterable:
                    self[key] = self[key] + 1
        if kwargs:
            self.update(kwargs)

    def subtract(self, iterable=None, /, **kwargs):
        if iterable is not None:
            for key, count in Counter(iterable).items():
                self[key] = self[key] - count
        if kwargs:
            self.subtract(kwargs)

    def most_common(self, n=None):
        """The n most frequent elements with their counts."""
        ordered = sorted(self.items(), key=_itemgetter(1), reverse=True)
        return ordered if n is None else ordered[:n]

    def elements(self):
        for key, count in self.items():
            for _ in range(count):
                yield key

    def total(self):
        return sum(self.values())

    def copy(self):
        return Counter(self)

    def __delitem__(self, key):
        if key in self:
            super().__delitem__(key)

    def _combined(self, other, combine):
        result = Counter()
        for key in [*self, *(key for key in other if key not in self)]:
            count = combine(self[key], other[key])
            if count > 0:
                result[key] = count
        return result

    def __add__(self, other):
        return self._combined(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._combined(other, lambda a, b: a - b)

    def __or__(self, other):
        return self._combined(other, max)

    def __and__(self, other):
        return self._combined(other, min)

    def __pos__(self):
        return self + Counter()

    def __repr__(self):
        if not self:
            return "Counter()"
        items = ", ".join(f"{key!r}: {count!r}" for key, count in self.most_common())
        return "Counter({" + items + "})"


class ChainMap:
    """Several dicts seen as one; writes go to the first."""

    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for mapping in self.maps:
            if key in mapping:
                return mapping[key]
        raise KeyError(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __contains__(self, key):
        return any(key in mapping for mapping in self.maps)

    def __iter__(self):
        merged = {}
        for mapping in reversed(self.maps):
            merged.update(dict.fromkeys(mapping))
        return iter(merged)

    def __len__(self):
        return len(set().union(*self.maps))

    def keys(self):
        return list(self)

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        del self.maps[0][key]

    def new_child(self, m=None):
        return ChainMap({} if m is None else m, *self.maps)

    @property
    def parents(self):
        return ChainMap(*self.maps[1:])

    def __repr__(self):
        return f"ChainMap({', '.join(map(repr, self.maps))})"


def __getattr__(name):
    if name in ("UserDict", "UserList", "UserString"):
        import _user_collections
        return getattr(_user_collections, name)
    raise AttributeError(f"module 'collections' has no attribute {name!r}")
