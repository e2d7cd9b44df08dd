"""Context managers from generators, and the usual small ones."""

from functools import wraps


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, exception, traceback):
        return None


class ContextDecorator:
    """Lets a context manager decorate a function."""

    def _recreate_cm(self):
        return self

    def __call__(self, function):
        @wraps(function)
        def inner(*args, **kwargs):
            with self._recreate_cm():
                return function(*args, **kwargs)

        return inner


class _GeneratorContextManager(ContextDecorator):
    def __init__(self, function, args, kwargs):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.generator = function(*args, **kwargs)

    def _recreate_cm(self):
        return type(self)(self.function, self.args, self.kwargs)

    def __enter__(self):
        try:
            return next(self.generator)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, exception, traceback):
        if kind is None:
            try:
                next(self.generator)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        if exception is None:
            exception = kind()
        try:
            self.generator.throw(exception)
        except StopIteration as stop:
            return stop is not exception
        except BaseException as raised:
            if raised is exception:
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(function):
    """Makes a context manager of a generator that yields once."""

    @wraps(function)
    def helper(*args, **kwargs):
        return _GeneratorContextManager(function, args, kwargs)

    return helper


class nullcontext(AbstractContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result


class suppress(AbstractContextManager):
    """Swallows the given exceptions."""

    def __init__(self, *exceptions):
        self.exceptions = exceptions

    def __exit__(self, kind, exception, traceback):
        return kind is not None and issubclass(kind, self.exceptions)


class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exception):
        self.thing.close()


class redirect_stdout(AbstractContextManager):
    """Sends printed text elsewhere."""

    def __init__(self, target):
        self.target = target

    def __enter__(self):
        import sys

        self.previous, sys.stdout = sys.stdout, self.target
        return self.target

    def __exit__(self, *exception):
        import sys

        sys.stdout = self.previous


class ExitStack(AbstractContextManager):
    """Leaves any number of contexts, last entered first."""

    def __init__(self):
        self.exits = []

    def enter_context(self, manager):
        value = manager.__enter__()
        self.exits.append(manager.__exit__)
        return value

    def callback(self, function, /, *args, **kwargs):
        self.exits.append(lambda *exception: function(*args, **kwargs) and None)
        return function

    def push(self, exit):
        self.exits.append(getattr(exit, "__exit__", exit))
        return exit

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, *exception):
        swallowed = False
        pending = None
        while self.exits:
            try:
                if self.exits.pop()(*exception):
                    exception = (None, None, None)
                    swallowed, pending = True, None
            except BaseException as raised:
                exception = (type(raised), raised, raised.__traceback__)
                pending = raised
        if pending is not None:
            raise pending
        return swallowed
