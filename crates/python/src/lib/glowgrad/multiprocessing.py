"""`torch.multiprocessing`: several processes, of which there is one here."""

_ONE = "everything runs in one process; call the function itself"


def get_all_sharing_strategies():
    """How processes could share tensors: there is one way to name.

    >>> torch.multiprocessing.get_all_sharing_strategies()
    """
    return {"file_system"}


def get_sharing_strategy():
    """How processes could share tensors.

    >>> torch.multiprocessing.get_sharing_strategy()
    """
    return "file_system"


def set_sharing_strategy(new_strategy):
    """Changes nothing: there is one process.

    >>> torch.multiprocessing.set_sharing_strategy("file_system")
    """


def set_start_method(method, force=False):
    """Changes nothing: no process is started.

    >>> torch.multiprocessing.set_start_method("spawn")
    """


def get_start_method(allow_none=False):
    """How a process would be started.

    >>> torch.multiprocessing.get_start_method()
    """
    return "spawn"


def cpu_count():
    """How many processes can run: one.

    >>> torch.multiprocessing.cpu_count()
    """
    return 1


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Calls a function with the number 0 and these arguments, where one process is asked for.

    >>> torch.multiprocessing.spawn(print, args=("here",))
    """
    if nprocs != 1:
        raise NotImplementedError(f"spawn: {_ONE}, or leave nprocs at 1")
    fn(0, *args)


def _refusing(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f"{name}: {_ONE}")

    function.__name__ = function.__qualname__ = name
    return function


for _name in "Process Pool Manager Queue SimpleQueue Event Lock Value Array Pipe".split():
    globals()[_name] = _refusing(_name)
del _name
