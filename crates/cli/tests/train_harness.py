"""What the tests of `lab.train` ask: the same losses, parameters and next random number as a loop, on any device."""

import random

import glowgrad as torch
from glowgrad import _train, lab


def refused(call, kind, text):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"expected {kind.__name__}: {text}")


def close(a, b, tolerance):
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(close(x, y, tolerance) for x, y in zip(a, b))
    return a == b or abs(a - b) <= tolerance * max(1.0, abs(a))


def looped(step, batches):
    batches = [()] * batches if isinstance(batches, int) else batches
    return [step(*batch).item() for batch in batches]


def outcome(make, run):
    """The losses, what is left, and the generator's next number."""
    torch.manual_seed(0)
    random.seed(0)
    step, batches, left = make()
    losses = run(step, batches)
    left = [each.tolist() if isinstance(each, torch.Tensor) else each for each in left()]
    return losses, left, torch.rand(1).item()


def agrees(make, tolerance):
    loop, job = outcome(make, looped), outcome(make, lab.train)
    assert close(loop[0], job[0], tolerance), (loop[0], job[0])
    assert close(loop[1], job[1], max(tolerance, 1e-3) if tolerance else 0.0), (loop[1], job[1])
    assert loop[2] == job[2], "the generator is elsewhere"
    return len(loop[0])


def same(make, most_calls=5, tolerance=0.0):
    """It does what a loop does, mostly without Python."""
    n = agrees(make, tolerance)
    assert _train.last.n_called <= most_calls < n, (_train.last.n_called, _train.last.why)


def called(make, why, tolerance=0.0):
    """It does what a loop does, by calling Python each time, and says why."""
    n = agrees(make, tolerance)
    assert _train.last.n_called == n, (_train.last.n_called, n, why)
    assert why in _train.last.why, _train.last.why
