"""What the lab can do beyond PyTorch: plots, and a look inside a tensor."""

import _glowgrad as _C


def plot(**series):
    """Adds one point to each named live plot: `lab.plot(loss=loss)`."""
    for name, value in series.items():
        _C.metric(name, value)


def show(tensor):
    """Prints how a tensor lies in memory."""
    shared = "" if tensor.is_contiguous() else ", not row by row"
    print(
        f"shape {list(tensor.shape)}, strides {list(tensor.stride())}, "
        f"offset {tensor.storage_offset()}, {tensor.dtype}, {tensor.nbytes} bytes{shared}"
    )


def shares_memory(a, b):
    """Whether two tensors are views of the same memory."""
    return a._storage_id() == b._storage_id()


def set_eager(on=True):
    """Runs every op at once instead of when a value is asked for; gives what it was."""
    return _C.set_eager(on)


def record(on=True):
    """Records what runs, for the stage, or does not; gives what it was."""
    return _C.record(on)


def memory():
    """Bytes held now, and the most held so far."""
    live, peak = _C.memory()
    return {"live": live, "peak": peak}
