"""Warnings: each is printed once per place of the program."""

import sys

_seen = set()


def warn(message, category=None, stacklevel=1, source=None):
    """Prints a warning, once for each text."""
    if isinstance(message, Warning):
        category = type(message)
    category = category or UserWarning
    key = (category, str(message))
    if key in _seen:
        return
    _seen.add(key)
    sys.stderr.write(f"{category.__name__}: {message}\n")


def simplefilter(action, category=Warning, lineno=0, append=False):
    """Accepted and without effect: warnings are printed once each."""


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    """Accepted and without effect: warnings are printed once each."""


class catch_warnings:
    """Accepted and without effect."""

    def __init__(self, *, record=False, **kwargs):
        self.record = record

    def __enter__(self):
        return [] if self.record else None

    def __exit__(self, *exception):
        return None
