"""`torch.nn`'s containers of modules."""

from collections import OrderedDict
from operator import index as _index

from glowgrad.nn.module import Module, _indented

__all__ = ("Sequential", "ModuleList", "ModuleDict")


def _place(container, index):
    """`index` counted from the front."""
    index, size = _index(index), len(container)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


def _pairs(kind, values):
    """Names and values of a mapping, or of a row of pairs."""
    if not hasattr(values, "__iter__"):
        raise TypeError(
            f"{kind}.update should be called with an iterable of key/value pairs, "
            f"but got {type(values).__name__}"
        )
    if hasattr(values, "items"):
        return values.items()
    values = list(values)
    for i, pair in enumerate(values):
        if not hasattr(pair, "__iter__"):
            raise TypeError(
                f"{kind} update sequence element #{i} should be Iterable; is{type(pair).__name__}"
            )
        if len(pair) != 2:
            raise ValueError(
                f"{kind} update sequence element #{i} has length {len(pair)}; 2 is required"
            )
    return values


def _without_numbers(names):
    return [name for name in names if not name.isdigit()]


class _Row(Module):
    """Modules named 0, 1, 2, …"""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return _without_numbers(super().__dir__())

    def _name(self, index):
        return list(self._modules)[_place(self, index)]

    def __setitem__(self, index, module):
        setattr(self, self._name(index), module)

    def __delitem__(self, index):
        names = list(self._modules)[index] if isinstance(index, slice) else [self._name(index)]
        for name in names:
            delattr(self, name)
        kept = list(self._modules.values())
        self._modules.clear()
        self._modules.update((str(i), module) for i, module in enumerate(kept))

    def append(self, module):
        """Adds a module at the end.

        >>> nn.ModuleList([nn.ReLU()]).append(nn.Tanh())
        """
        self.add_module(str(len(self)), module)
        return self

    def _insert(self, index, module):
        for i in range(len(self), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module

    def pop(self, key):
        """Takes a module out and gives it.

        >>> nn.ModuleList([nn.ReLU(), nn.Tanh()]).pop(0)
        """
        module = self[key]
        del self[key]
        return module


class Sequential(_Row):
    """Modules one after another: each is given what the one before it gives.

    >>> nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            pairs = args[0].items()
        else:
            pairs = ((str(i), module) for i, module in enumerate(args))
        for name, module in pairs:
            self.add_module(name, module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name(index)]

    def insert(self, index, module):
        """Adds a module before another.

        >>> nn.Sequential(nn.ReLU()).insert(0, nn.Linear(2, 2))
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        self._insert(index + len(self) if index < 0 else index, module)
        return self

    def extend(self, sequential):
        """Adds modules at the end.

        >>> nn.Sequential(nn.ReLU()).extend([nn.Tanh()])
        """
        for module in sequential:
            self.append(module)
        return self

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(
                "add operator supports only objects of Sequential class, "
                f"but {type(other)} is given."
            )
        return self.extend(list(other))

    def __add__(self, other):
        both = Sequential()
        both += self
        both += other
        return both

    def _times(self, n, into):
        if not isinstance(n, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(n)}")
        if n <= 0:
            raise ValueError(f"Non-positive multiplication factor {n} for {type(self)}")
        return into.extend(list(self) * (n if into is not self else n - 1))

    def __mul__(self, n):
        return self._times(n, Sequential())

    __rmul__ = __mul__

    def __imul__(self, n):
        return self._times(n, self)


class ModuleList(_Row):
    """A list of modules whose parameters are found.

    >>> layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    >>> len(list(layers.parameters()))
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._name(index)]

    def insert(self, index, module):
        """Adds a module before another.

        >>> layers = nn.ModuleList([nn.ReLU()])
        >>> layers.insert(0, nn.Tanh())
        >>> layers
        """
        self._insert(index, module)

    def extend(self, modules):
        """Adds modules at the end.

        >>> nn.ModuleList([nn.ReLU()]).extend([nn.Tanh()])
        """
        if not hasattr(modules, "__iter__"):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, "
                f"but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    __iadd__ = extend

    def __add__(self, other):
        return ModuleList([*self, *other])

    def __repr__(self):
        # Equal neighbours are shown once: (0-3): 4 x Block(…).
        runs = []
        for index, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1][1] = index
            else:
                runs.append([index, index, text])
        if not runs:
            return f"{self._get_name()}()"
        lines = [
            _indented(f"({first}): {text}" if first == last
                      else f"({first}-{last}): {last - first + 1} x {text}")
            for first, last, text in runs
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules whose parameters are found.

    >>> parts = nn.ModuleDict({"up": nn.Linear(2, 4), "down": nn.Linear(4, 2)})
    >>> list(parts)
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __contains__(self, key):
        return key in self._modules

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def keys(self):
        """The names. >>> list(nn.ModuleDict({"up": nn.ReLU()}).keys())"""
        return self._modules.keys()

    def values(self):
        """The modules. >>> list(nn.ModuleDict({"up": nn.ReLU()}).values())"""
        return self._modules.values()

    def items(self):
        """Names and modules. >>> list(nn.ModuleDict({"up": nn.ReLU()}).items())"""
        return self._modules.items()

    def clear(self):
        """Takes all modules out.

        >>> parts = nn.ModuleDict({"up": nn.ReLU()})
        >>> parts.clear()
        >>> len(parts)
        """
        self._modules.clear()

    def pop(self, key):
        """Takes a module out and gives it. >>> nn.ModuleDict({"up": nn.ReLU()}).pop("up")"""
        return self._modules.pop(key)

    def update(self, modules):
        """Adds modules by name, over those that have the names.

        >>> parts = nn.ModuleDict()
        >>> parts.update({"up": nn.ReLU()})
        >>> parts
        """
        for name, module in _pairs("ModuleDict", modules):
            self[name] = module
