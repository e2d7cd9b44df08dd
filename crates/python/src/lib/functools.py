"""Functions that make functions. `partial` and `reduce` are the interpreter's own."""

from _functools import partial, reduce

WRAPPER_ASSIGNMENTS = (
    "__module__", "__name__", "__qualname__", "__doc__", "__annotations__", "__type_params__",
)
WRAPPER_UPDATES = ("__dict__",)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    """Makes `wrapper` look like `wrapped`."""
    for name in assigned:
        try:
            setattr(wrapper, name, getattr(wrapped, name))
        except AttributeError:
            pass
    for name in updated:
        getattr(wrapper, name).update(getattr(wrapped, name, {}))
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    """A decorator that makes a wrapper look like `wrapped`."""
    return partial(update_wrapper, wrapped=wrapped, assigned=assigned, updated=updated)


def _from_other(name, combine):
    def operation(self, other):
        result = getattr(type(self), combine[0])(self, other)
        if result is NotImplemented:
            return result
        return combine[1](result, self, other)

    operation.__name__ = name
    return operation


_not = lambda result, a, b: not result
_or_equal = lambda result, a, b: result or a == b
_not_or_equal = lambda result, a, b: not result or a == b
_and_unequal = lambda result, a, b: result and a != b
_not_and_unequal = lambda result, a, b: not result and a != b

_ORDERINGS = {
    "__lt__": {"__gt__": _not_and_unequal, "__le__": _or_equal, "__ge__": _not},
    "__le__": {"__ge__": _not_or_equal, "__lt__": _and_unequal, "__gt__": _not},
    "__gt__": {"__lt__": _not_and_unequal, "__ge__": _or_equal, "__le__": _not},
    "__ge__": {"__le__": _not_or_equal, "__gt__": _and_unequal, "__lt__": _not},
}


def total_ordering(cls):
    """Completes the comparisons of a class that defines `__eq__` and one ordering."""
    defined = [name for name in _ORDERINGS if getattr(cls, name) is not getattr(object, name)]
    if not defined:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    root = max(defined)
    for name, combine in _ORDERINGS[root].items():
        if name not in defined:
            setattr(cls, name, _from_other(name, (root, combine)))
    return cls


class _CacheInfo(tuple):
    __slots__ = ()
    hits = property(lambda self: self[0])
    misses = property(lambda self: self[1])
    maxsize = property(lambda self: self[2])
    currsize = property(lambda self: self[3])

    def __repr__(self):
        return "CacheInfo(hits=%r, misses=%r, maxsize=%r, currsize=%r)" % self


_MARK = object()


def lru_cache(maxsize=128, typed=False):
    """Remembers the results of the calls used last."""
    if callable(maxsize):
        return _cached(maxsize, 128, typed)
    return lambda function: _cached(function, maxsize, typed)


def cache(function):
    """Remembers the result of every call."""
    return _cached(function, None, False)


def _cached(function, maxsize, typed):
    results = {}
    hits = misses = 0

    def wrapper(*args, **kwargs):
        nonlocal hits, misses
        key = args
        if kwargs:
            key += (_MARK, *kwargs.items())
        if typed:
            key += tuple(type(value) for value in (*args, *kwargs.values()))
        found = results.pop(key, _MARK)
        if found is not _MARK:
            hits += 1
            results[key] = found
            return found
        misses += 1
        result = function(*args, **kwargs)
        if maxsize != 0:
            results[key] = result
            if maxsize is not None and len(results) > maxsize:
                del results[next(iter(results))]
        return result

    def cache_clear():
        nonlocal hits, misses
        results.clear()
        hits = misses = 0

    wrapper.cache_info = lambda: _CacheInfo((hits, misses, maxsize, len(results)))
    wrapper.cache_clear = cache_clear
    wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
    return update_wrapper(wrapper, function)


class cached_property:
    """A property that is computed once for each object."""

    def __init__(self, function):
        self.function = function
        self.name = None
        self.__doc__ = function.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.function(instance)
        return value


class partialmethod:
    """Like `partial`, for methods."""

    def __init__(self, function, /, *args, **kwargs):
        self.function, self.args, self.kwargs = function, args, kwargs

    def __get__(self, instance, owner=None):
        bound = self.function.__get__(instance, owner)
        return partial(bound, *self.args, **self.kwargs)


def singledispatch(function):
    """A function whose body depends on the type of its first argument."""
    registry = {object: function}

    def dispatch(cls):
        for base in cls.__mro__:
            if base in registry:
                return registry[base]
        return function

    def register(cls, implementation=None):
        if implementation is not None:
            registry[cls] = implementation
            return implementation
        if isinstance(cls, type):
            return lambda implementation: register(cls, implementation)
        first = next(iter(cls.__annotations__.values()))
        return register(first, cls)

    def wrapper(*args, **kwargs):
        if not args:
            raise TypeError(f"{function.__name__} requires at least 1 positional argument")
        return dispatch(type(args[0]))(*args, **kwargs)

    wrapper.register, wrapper.dispatch, wrapper.registry = register, dispatch, registry
    return update_wrapper(wrapper, function)


def cmp_to_key(compare):
    """Makes a sort key of a function that compares two values."""

    class Key:
        __slots__ = ("value",)

        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            return compare(self.value, other.value) < 0

        def __gt__(self, other):
            return compare(self.value, other.value) > 0

        def __eq__(self, other):
            return compare(self.value, other.value) == 0

        def __le__(self, other):
            return compare(self.value, other.value) <= 0

        def __ge__(self, other):
            return compare(self.value, other.value) >= 0

        __hash__ = None

    return Key
