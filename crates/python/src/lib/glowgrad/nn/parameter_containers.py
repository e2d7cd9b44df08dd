"""`torch.nn`'s containers of parameters, and the container that `nn.Module` has replaced."""

from collections import OrderedDict

from glowgrad._tensor import Parameter, Tensor
from glowgrad.nn import _LATER
from glowgrad.nn.containers import _pairs, _place, _without_numbers
from glowgrad.nn.module import Module

__all__ = _LATER["parameter_containers"]


class Container(Module):
    """Modules under names: what `nn.Module` does by itself today.

    >>> nn.Container(first=nn.ReLU())
    """

    def __init__(self, **kwargs):
        from warnings import warn

        warn("`nn.Container` is deprecated. All of its functionality is now implemented in "
             "`nn.Module`. Subclass that instead.", FutureWarning, stacklevel=2)
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


def _as_parameter(value):
    is_plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if is_plain else value


def _listed(pairs, type_of):
    """Lines that say what parameters are."""
    lines = []
    for name, value in pairs:
        if isinstance(value, Tensor):
            sizes = "x".join(map(str, value.shape))
            kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
            place = f" ({value.device})" if value.is_cuda else ""
            text = f"{kind} containing: [{type_of(value)} of size {sizes}{place}]"
        else:
            text = f"Object of type: {type(value).__name__}"
        lines.append(f"  ({name}): {text}")
    return "\n".join(lines)


class ParameterList(Module):
    """A list of parameters that are found.

    >>> list(nn.ParameterList([torch.zeros(2)]))
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(self._size)])

    def __dir__(self):
        return _without_numbers(super().__dir__())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(self._size)[index]])
        return getattr(self, str(_place(self, index)))

    def __setitem__(self, index, param):
        setattr(self, str(_place(self, index)), _as_parameter(param))

    def append(self, value):
        """Adds a parameter at the end; a plain tensor becomes one.

        >>> nn.ParameterList().append(torch.zeros(2))
        """
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Adds parameters at the end.

        >>> nn.ParameterList().extend([torch.zeros(2), torch.zeros(3)])
        """
        if not hasattr(values, "__iter__") or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, "
                f"but got {type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    __iadd__ = extend

    def extra_repr(self):
        return _listed(enumerate(self), lambda value: value.dtype)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict of parameters that are found.

    >>> weights = nn.ParameterDict({"up": torch.zeros(2)})
    >>> weights["up"].requires_grad
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return getattr(self, self._checked(key))

    def __setitem__(self, key, value):
        self._keys[self._checked(key)] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, key)

    def _checked(self, key):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}'). Open an issue on github if you need "
                "non-string keys."
            )
        return key

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return iter(list(self._keys)[::-1])

    def __contains__(self, key):
        return key in self._keys

    def keys(self):
        """The names. >>> list(nn.ParameterDict({"up": torch.zeros(2)}).keys())"""
        return self._keys.keys()

    def values(self):
        """The parameters. >>> len(list(nn.ParameterDict({"up": torch.zeros(2)}).values()))"""
        return (self[key] for key in self._keys)

    def items(self):
        """Names and parameters. >>> dict(nn.ParameterDict({"up": torch.zeros(2)}).items())"""
        return ((key, self[key]) for key in self._keys)

    def copy(self):
        """Another dict with the same parameters.

        >>> nn.ParameterDict({"up": torch.zeros(2)}).copy()
        """
        return ParameterDict(OrderedDict(self.items()))

    def get(self, key, default=None):
        """The parameter of this name, or `default`. >>> nn.ParameterDict().get("up", 0)"""
        return self[key] if key in self else default

    def setdefault(self, key, default=None):
        """The parameter of this name, which is `default` if there was none.

        >>> nn.ParameterDict().setdefault("up", torch.zeros(2)).shape
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """Takes all parameters out.

        >>> weights = nn.ParameterDict({"up": torch.zeros(2)})
        >>> weights.clear()
        >>> len(weights)
        """
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Takes a parameter out and gives it.

        >>> nn.ParameterDict({"up": torch.zeros(2)}).pop("up").shape
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Takes the last parameter out and gives it with its name.

        >>> nn.ParameterDict({"up": torch.zeros(2)}).popitem()[0]
        """
        if not self._keys:
            raise KeyError("popitem(): dictionary is empty")
        key = list(self._keys)[-1]
        return key, self.pop(key)

    def fromkeys(self, keys, default=None):
        """A dict in which each name has the same value.

        >>> nn.ParameterDict().fromkeys(["up", "down"], torch.zeros(2))
        """
        return ParameterDict([(key, default) for key in keys])

    def update(self, parameters):
        """Adds parameters by name, over those that have the names.

        >>> weights = nn.ParameterDict()
        >>> weights.update({"up": torch.zeros(2)})
        >>> weights
        """
        pairs = _pairs("ParameterDict", parameters)
        if isinstance(parameters, dict) and not isinstance(parameters, OrderedDict):
            pairs = sorted(pairs)
        for key, value in pairs:
            self[key] = value

    def extra_repr(self):
        return _listed(self.items(), lambda value: (
            "torch." + ("cuda." if value.is_cuda else "") + value.dtype.scalar_name + "Tensor"
        ))

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        both = self.copy()
        both.update(other)
        return both

    def __ror__(self, other):
        both = other.copy()
        both.update(self)
        return both

    def __ior__(self, other):
        self.update(other)
        return self
