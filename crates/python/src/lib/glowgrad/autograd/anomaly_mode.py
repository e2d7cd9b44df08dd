"""Finding the rule that makes a NaN."""

import _glowgrad as _C


class set_detect_anomaly:
    """Raises in `backward()` at the first rule that makes a NaN, and names the forward line.

    >>> with torch.autograd.set_detect_anomaly(True):
    >>>     x = torch.ones(1, requires_grad=True)
    >>>     (x * 2).sum().backward()
    >>> x.grad
    """

    def __init__(self, mode, check_nan=True):
        self.before = _C.set_anomaly(bool(mode), bool(check_nan))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _C.set_anomaly(*self.before)


class detect_anomaly:
    """As `set_detect_anomaly(True)`, for a `with`.

    >>> with torch.autograd.detect_anomaly():
    >>>     x = torch.ones(1, requires_grad=True)
    >>>     (x * 2).sum().backward()
    >>> x.grad
    """

    def __init__(self, check_nan=True):
        self.check_nan = check_nan

    def __enter__(self):
        self.before = _C.set_anomaly(True, self.check_nan)

    def __exit__(self, *exception):
        _C.set_anomaly(*self.before)
