"""Switching the tape off and on: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`."""

from functools import wraps

import _glowgrad as _C


class _Mode:
    """A context manager and decorator that sets whether the tape is on."""

    def __init__(self, on):
        self.on = on
        self.before = []

    def __enter__(self):
        self.before.append(_C.set_grad_enabled(self.on))

    def __exit__(self, *exception):
        _C.set_grad_enabled(self.before.pop())

    def __call__(self, function):
        mode = type(self)

        @wraps(function)
        def wrapper(*args, **kwargs):
            with mode._again(self.on):
                return function(*args, **kwargs)

        return wrapper

    @classmethod
    def _again(cls, on):
        return cls()


class no_grad(_Mode):
    """Under `with`, or as a decorator: what is computed is off the tape and does not require grad.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    >>>     y = x * 2
    >>> y.requires_grad
    """

    def __new__(cls, function=None):
        self = object.__new__(cls)
        _Mode.__init__(self, False)
        return self if function is None else self(function)

    def __init__(self, function=None):
        pass


class inference_mode(_Mode):
    """Off the tape, with tensors that can never join it.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.inference_mode():
    >>>     y = x * 2
    >>> y.requires_grad
    """

    def __new__(cls, mode=True):
        self = object.__new__(cls)
        if callable(mode):
            _Mode.__init__(self, True)
            return self(mode)
        _Mode.__init__(self, bool(mode))
        return self

    def __init__(self, mode=True):
        pass

    def __enter__(self):
        before = _C.set_inference_mode(self.on)
        self.before.append((before, _C.set_grad_enabled(not self.on)))

    def __exit__(self, *exception):
        inference, taping = self.before.pop()
        _C.set_inference_mode(inference)
        _C.set_grad_enabled(taping)

    @classmethod
    def _again(cls, on):
        return cls(on)


def is_inference_mode_enabled():
    """Whether this code runs under `inference_mode`.

    >>> torch.is_inference_mode_enabled()
    """
    before = _C.set_inference_mode(False)
    _C.set_inference_mode(before)
    return before


class enable_grad(_Mode):
    """On the tape, also inside `no_grad`.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    >>>     y = x * 2
    >>> y.requires_grad
    """

    def __new__(cls, function=None):
        self = object.__new__(cls)
        _Mode.__init__(self, True)
        return self if function is None else self(function)

    def __init__(self, function=None):
        pass


class set_grad_enabled(_Mode):
    """Sets the tape at once, and back at the end of a `with`.

    >>> with torch.set_grad_enabled(False):
    >>>     enabled = torch.is_grad_enabled()
    >>> enabled
    """

    def __init__(self, mode):
        super().__init__(bool(mode))
        self.before.append(_C.set_grad_enabled(self.on))

    def __enter__(self):
        pass

    def __call__(self, function):
        _C.set_grad_enabled(self.before.pop())
        on = self.on

        @wraps(function)
        def wrapper(*args, **kwargs):
            with set_grad_enabled(on):
                return function(*args, **kwargs)

        return wrapper


is_grad_enabled = _C.is_grad_enabled


class set_multithreading_enabled:
    """Accepted: the walk back runs on one thread.

    >>> with torch.autograd.set_multithreading_enabled(False):
    >>>     x = torch.ones(1)
    >>> x
    """

    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        pass


class enforce_grad_layout_policy:
    """Accepted: gradients lie in memory as they come.

    >>> with torch.autograd.enforce_grad_layout_policy(False):
    >>>     x = torch.ones(1)
    >>> x
    """

    def __init__(self, enable=True):
        self.enable = enable

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        pass
