"""`UserDict`, `UserList` and `UserString` of `collections`: containers that hold another in `data`."""

from collections.abc import MutableMapping, MutableSequence, Sequence


class UserDict(MutableMapping):
    """A mapping that holds a dict."""

    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(type(self), "__missing__"):
            return type(self).__missing__(self, key)
        raise KeyError(key)

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __repr__(self):
        return repr(self.data)

    def __or__(self, other):
        return type(self)(self.data | getattr(other, "data", other))

    def __ior__(self, other):
        self.data |= getattr(other, "data", other)
        return self

    def copy(self):
        made = type(self)()
        made.data = self.data.copy()
        return made

    __copy__ = copy

    @classmethod
    def fromkeys(cls, iterable, value=None):
        made = cls()
        for key in iterable:
            made[key] = value
        return made


class UserList(MutableSequence):
    """A sequence that holds a list."""

    def __init__(self, initlist=None):
        self.data = list(getattr(initlist, "data", initlist) or ())

    def __repr__(self):
        return repr(self.data)

    def __eq__(self, other):
        return self.data == getattr(other, "data", other)

    def __lt__(self, other):
        return self.data < getattr(other, "data", other)

    def __len__(self):
        return len(self.data)

    def __contains__(self, item):
        return item in self.data

    def __getitem__(self, index):
        found = self.data[index]
        return type(self)(found) if isinstance(index, slice) else found

    def __setitem__(self, index, item):
        self.data[index] = item

    def __delitem__(self, index):
        del self.data[index]

    def __add__(self, other):
        return type(self)(self.data + list(getattr(other, "data", other)))

    def __mul__(self, n):
        return type(self)(self.data * n)

    def insert(self, index, item):
        self.data.insert(index, item)

    def copy(self):
        return type(self)(self.data)

    def sort(self, /, *args, **kwargs):
        self.data.sort(*args, **kwargs)


class UserString(Sequence):
    """A text that holds a text."""

    def __init__(self, seq):
        self.data = str(seq)

    def __str__(self):
        return self.data

    def __repr__(self):
        return repr(self.data)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return type(self)(self.data[index])

    def __eq__(self, other):
        return self.data == getattr(other, "data", other)

    def __hash__(self):
        return hash(self.data)

    def __add__(self, other):
        return type(self)(self.data + str(other))

    def __getattr__(self, name):
        return getattr(self.data, name)
