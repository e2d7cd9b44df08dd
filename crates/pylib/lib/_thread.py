"""`_thread` where there is one thread: locks that never wait for another."""

TIMEOUT_MAX = 4294967.0
error = RuntimeError


class LockType:
    """A lock. Waiting for one that is taken would never end, so it is an error."""

    def __init__(self):
        self._taken = False

    def acquire(self, blocking=True, timeout=-1):
        if self._taken:
            if not blocking or timeout >= 0:
                return False
            raise RuntimeError("a lock that is taken can never be released: there is one thread")
        self._taken = True
        return True

    def release(self):
        if not self._taken:
            raise RuntimeError("release unlocked lock")
        self._taken = False

    def locked(self):
        return self._taken

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *args):
        self.release()


allocate_lock = lock = LockType


class RLock:
    """A lock that its owner may take again."""

    def __init__(self):
        self._count = 0

    def acquire(self, blocking=True, timeout=-1):
        self._count += 1
        return True

    def release(self):
        if not self._count:
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *args):
        self.release()


class _local:
    """Values of a thread; there is one."""


def get_ident():
    return 1


def start_new_thread(function, args=(), kwargs=None):
    raise NotImplementedError("Python here has one thread: call the function")


def interrupt_main(signum=2):
    raise KeyboardInterrupt
