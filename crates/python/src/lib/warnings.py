"""Warnings: each is printed once for each text, unless a filter says otherwise."""

import sys

_seen = set()
# What to do with warnings, the newest first: action, beginning of the text, category.
_filters = []
# Where warnings go instead, while `catch_warnings(record=True)` runs.
_records = []


class WarningMessage:
    """A warning that was recorded."""

    def __init__(self, message, category):
        self.message, self.category = message, category
        self.filename, self.lineno = "", 0


def warn(message, category=None, stacklevel=1, source=None):
    """Prints a warning, once for each text."""
    if isinstance(message, Warning):
        category = type(message)
    category = category or UserWarning
    text = str(message)
    action = "default"
    for what, start, kind in _filters:
        if issubclass(category, kind) and text.lower().startswith(start.lower()):
            action = what
            break
    if action == "error":
        raise message if isinstance(message, Warning) else category(message)
    if action == "ignore" or action != "always" and (category, text) in _seen:
        return
    if _records:
        shown = message if isinstance(message, Warning) else category(message)
        _records[-1].append(WarningMessage(shown, category))
        return
    _seen.add((category, text))
    sys.stderr.write(f"{category.__name__}: {text}\n")


def _add(action, message, category, append):
    if action not in ("default", "error", "ignore", "always", "module", "once"):
        raise AssertionError(f"invalid action: {action!r}")
    _filters.insert(len(_filters) if append else 0, (action, message, category))


def simplefilter(action, category=Warning, lineno=0, append=False):
    """Says what is done with warnings of a category: "ignore", "error", "always" or "default"."""
    _add(action, "", category, append)


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    """Says what is done with warnings whose text begins with a message."""
    _add(action, message.lstrip(".*"), category, append)


def resetwarnings():
    """Forgets all filters."""
    _filters.clear()


class catch_warnings:
    """Keeps filters as they are for what comes after; with record, gives a list of what was warned of."""

    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0,
                 append=False):
        self.record, self.action = record, action
        self.category, self.append = category, append

    def __enter__(self):
        self.before = list(_filters)
        if self.action is not None:
            simplefilter(self.action, self.category, append=self.append)
        if self.record:
            _records.append([])
            return _records[-1]

    def __exit__(self, *exception):
        _filters[:] = self.before
        if self.record:
            _records.pop()
