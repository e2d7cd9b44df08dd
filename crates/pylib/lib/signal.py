"""`signal`: names of signals. None arrives but Stop, which is a KeyboardInterrupt."""

import enum


class Signals(enum.IntEnum):
    SIGINT = 2
    SIGTERM = 15


SIGINT, SIGTERM = Signals.SIGINT, Signals.SIGTERM
SIG_DFL, SIG_IGN = 0, 1


def default_int_handler(signum, frame):
    raise KeyboardInterrupt


_handlers = {SIGINT: default_int_handler}


def signal(signalnum, handler):
    """Keeps the handler; Stop raises KeyboardInterrupt all the same."""
    old = _handlers.get(signalnum, SIG_DFL)
    _handlers[signalnum] = handler
    return old


def getsignal(signalnum):
    return _handlers.get(signalnum, SIG_DFL)
