"""`traceback`: exceptions as text. Frames are those of the program's own code."""

import sys

__all__ = [
    "extract_tb", "format_exc", "format_exception", "format_exception_only", "format_list",
    "format_tb", "print_exc", "print_exception", "print_tb", "FrameSummary", "StackSummary",
    "TracebackException", "walk_tb",
]


class FrameSummary:
    """A line of a traceback."""

    def __init__(self, filename, lineno, name, *, lookup_line=True, locals=None, line=None):
        self.filename, self.lineno, self.name, self.line = filename, lineno, name, line or ""

    def __iter__(self):
        return iter((self.filename, self.lineno, self.name, self.line))

    def __repr__(self):
        return f"<FrameSummary file {self.filename}, line {self.lineno} in {self.name}>"


class StackSummary(list):
    """Lines of a traceback."""

    def format(self):
        return [
            f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}\n' for frame in self
        ]


def walk_tb(tb):
    """The frames of a traceback with their lines."""
    while tb is not None:
        yield tb.tb_frame, tb.tb_lineno
        tb = tb.tb_next


def extract_tb(tb, limit=None):
    """The lines of a traceback."""
    frames = StackSummary()
    for frame, line in walk_tb(tb):
        code = frame.f_code
        frames.append(FrameSummary(code.co_filename, line, code.co_name))
    return frames[:limit] if limit is not None and limit >= 0 else frames


def format_list(extracted):
    """Lines of a traceback as text."""
    return StackSummary(extracted).format()


def format_tb(tb, limit=None):
    """A traceback as text."""
    return StackSummary(extract_tb(tb, limit)).format()


def print_tb(tb, limit=None, file=None):
    """Prints a traceback."""
    print("".join(format_tb(tb, limit)), end="", file=file or sys.stderr)


def _name(kind):
    module = kind.__module__
    return kind.__qualname__ if module in ("builtins", "__main__") else f"{module}.{kind.__qualname__}"


def format_exception_only(exc, value=None, *, show_group=False):
    """The last line of a traceback: what was raised."""
    error = exc if isinstance(exc, BaseException) else value
    if error is None:
        return [f"{exc!r}\n"]
    text = str(error)
    lines = [f"{_name(type(error))}: {text}\n" if text else f"{_name(type(error))}\n"]
    return lines + [f"{note}\n" for note in getattr(error, "__notes__", ())]


class TracebackException:
    """An exception as text."""

    def __init__(self, exc_type, exc_value, exc_traceback, **options):
        self._error, self.stack = exc_value, extract_tb(exc_traceback)

    @classmethod
    def from_exception(cls, exc, **options):
        return cls(type(exc), exc, exc.__traceback__, **options)

    def format_exception_only(self, **options):
        return iter(format_exception_only(self._error))

    def format(self, *, chain=True, **options):
        return iter(format_exception(self._error, chain=chain))


def format_exception(exc, value=None, tb=None, limit=None, chain=True, **options):
    """An exception with its traceback as text, causes first."""
    error = exc if isinstance(exc, BaseException) else value
    lines = []
    if chain and error is not None:
        if error.__cause__ is not None:
            lines += format_exception(error.__cause__)
            lines.append(
                "\nThe above exception was the direct cause of the following exception:\n\n"
            )
        elif error.__context__ is not None and not error.__suppress_context__:
            lines += format_exception(error.__context__)
            lines.append(
                "\nDuring handling of the above exception, another exception occurred:\n\n"
            )
    trace = tb if tb is not None else getattr(error, "__traceback__", None)
    if trace is not None:
        lines.append("Traceback (most recent call last):\n")
        lines += format_tb(trace, limit)
    return lines + format_exception_only(error)


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True):
    """Prints an exception with its traceback."""
    print("".join(format_exception(exc, value, tb, limit, chain)), end="", file=file or sys.stderr)


def format_exc(limit=None, chain=True):
    """The exception that is being handled, as text."""
    error = sys.exception()
    return "NoneType: None\n" if error is None else "".join(format_exception(error, chain=chain))


def print_exc(limit=None, file=None, chain=True):
    """Prints the exception that is being handled."""
    print(format_exc(limit, chain), end="", file=file or sys.stderr)


def format_stack(f=None, limit=None):
    """Nothing: a program cannot see the frames that called it here."""
    return []


def extract_stack(f=None, limit=None):
    """Nothing: a program cannot see the frames that called it here."""
    return StackSummary()


def print_stack(f=None, limit=None, file=None):
    """Nothing: a program cannot see the frames that called it here."""


def clear_frames(tb):
    """Nothing to clear."""
