"""`contextvars` where there is one context."""

_MISSING = object()


class Token:
    """What a variable was before it was set."""

    MISSING = _MISSING

    def __init__(self, var, old_value):
        self.var, self.old_value = var, old_value


class ContextVar:
    """A variable of the context."""

    def __init__(self, name, *, default=_MISSING):
        self.name, self._default, self._value = name, default, _MISSING

    def get(self, default=_MISSING):
        for value in (self._value, default, self._default):
            if value is not _MISSING:
                return value
        raise LookupError(self)

    def set(self, value):
        token = Token(self, self._value)
        self._value = value
        return token

    def reset(self, token):
        self._value = token.old_value


class Context:
    """The context; there is one."""

    def run(self, callable, *args, **kwargs):
        return callable(*args, **kwargs)

    def copy(self):
        return self


def copy_context():
    return Context()
