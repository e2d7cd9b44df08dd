"""`torch.random`: seeds, and states of the random numbers."""

from contextlib import contextmanager

from glowgrad import (
    default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state,
)

__all__ = (
    "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed",
    "set_rng_state", "thread_safe_generator",
)


@contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices",
             device_type=None):
    """Under `with`, what is drawn leaves the random numbers after it as they were.

    >>> torch.manual_seed(0)
    >>> with torch.random.fork_rng():
    >>>     a = torch.rand(1)
    >>> torch.equal(a, torch.rand(1))
    """
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def thread_safe_generator():
    """The generator of a thread that loads data; None, since there is one thread.

    >>> torch.random.thread_safe_generator()
    """
