"""`atexit`: functions for the end of a program, which here has none: a session goes on after a cell."""

_functions = []


def register(function, *args, **kwargs):
    """Takes a function; `_run_exitfuncs` calls it."""
    _functions.append((function, args, kwargs))
    return function


def unregister(function):
    """Drops a function."""
    _functions[:] = [each for each in _functions if each[0] != function]


def _run_exitfuncs():
    while _functions:
        function, args, kwargs = _functions.pop()
        function(*args, **kwargs)


def _clear():
    _functions.clear()
