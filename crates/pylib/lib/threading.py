"""`threading` where there is one thread: locks, local values, and a Thread that runs where it is started."""

import _thread
from _thread import RLock, TIMEOUT_MAX, _local as local, allocate_lock as Lock, get_ident

__all__ = [
    "Barrier", "Condition", "Event", "Lock", "RLock", "Semaphore", "Thread", "TIMEOUT_MAX",
    "active_count", "current_thread", "enumerate", "get_ident", "local", "main_thread",
]


class Thread:
    """Runs its function to the end when it is started: there is one thread."""

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        self._target, self._args, self._kwargs = target, args, dict(kwargs or {})
        self.name, self.daemon, self.ident, self._ended = name or "Thread-1", bool(daemon), None, False

    def run(self):
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def start(self):
        if self.ident is not None:
            raise RuntimeError("threads can only be started once")
        self.ident = 1
        try:
            self.run()
        finally:
            self._ended = True

    def join(self, timeout=None):
        if self.ident is None:
            raise RuntimeError("cannot join thread before it is started")

    def is_alive(self):
        return self.ident is not None and not self._ended

    def __repr__(self):
        state = "initial" if self.ident is None else "stopped" if self._ended else "started"
        return f"<{type(self).__name__}({self.name}, {state})>"


class _MainThread(Thread):
    def __init__(self):
        super().__init__(name="MainThread")
        self.ident = 1


_main = _MainThread()


def current_thread():
    """The one thread."""
    return _main


main_thread = current_thread


def enumerate():
    """All threads: one."""
    return [_main]


def active_count():
    return 1


class Condition:
    """A lock to wait for what nothing else can bring about: waiting is an error."""

    def __init__(self, lock=None):
        self._lock = lock or RLock()
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *args):
        return self._lock.__exit__(*args)

    def wait(self, timeout=None):
        if timeout is None:
            raise RuntimeError("nothing else runs that could notify: there is one thread")
        return False

    def wait_for(self, predicate, timeout=None):
        return predicate() or self.wait(timeout)

    def notify(self, n=1):
        pass

    def notify_all(self):
        pass


class Event:
    """A flag."""

    def __init__(self):
        self._set = False

    def is_set(self):
        return self._set

    def set(self):
        self._set = True

    def clear(self):
        self._set = False

    def wait(self, timeout=None):
        if not self._set and timeout is None:
            raise RuntimeError("nothing else runs that could set it: there is one thread")
        return self._set


class Semaphore:
    """A number of places."""

    def __init__(self, value=1):
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self._value = value

    def acquire(self, blocking=True, timeout=None):
        if self._value == 0:
            if not blocking or timeout is not None:
                return False
            raise RuntimeError("no place can become free: there is one thread")
        self._value -= 1
        return True

    def release(self, n=1):
        self._value += n

    __enter__ = acquire

    def __exit__(self, *args):
        self.release()


BoundedSemaphore = Semaphore


class Barrier:
    """A meeting of one."""

    def __init__(self, parties, action=None, timeout=None):
        if parties != 1:
            raise NotImplementedError("Barrier: there is one thread")
        self.parties, self._action = parties, action

    def wait(self, timeout=None):
        if self._action is not None:
            self._action()
        return 0


class Timer(Thread):
    """Calls a function when it is started: there is one thread, which cannot wait beside itself."""

    def __init__(self, interval, function, args=None, kwargs=None):
        super().__init__(target=function, args=args or (), kwargs=kwargs)

    def cancel(self):
        self._target = None


def settrace(function):
    pass


setprofile = settrace


def _register_atexit(function, *args, **kwargs):
    pass
