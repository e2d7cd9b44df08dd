"""`torch.compile` and the control flow that it knows: everything runs as it is written."""

from glowgrad.nn.module import Module


class OptimizedModule(Module):
    """A module that was given to `torch.compile`: it computes what the module does.

    >>> torch.compile(nn.Linear(1, 1))
    """

    __module__ = "torch._dynamo.eval_frame"

    def __init__(self, mod):
        super().__init__()
        self._orig_mod = mod

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self._modules[name]
        return getattr(self._modules["_orig_mod"], name)

    def forward(self, *args, **kwargs):
        return self._orig_mod(*args, **kwargs)


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None,
            options=None, disable=False, name=None):
    """A function as it is, or a module that computes what this one does: nothing is compiled here.

    `lab.train` makes training fast: it runs a step again without Python.

    >>> torch.compile(torch.sin)(torch.tensor(0.5))
    """
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if model is None:
        return lambda model: compile(
            model, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode,
            options=options, disable=disable,
        )
    import _lab

    _lab.say_once("compile() changes nothing here: every op is compiled and fused anyway.")
    return OptimizedModule(model) if isinstance(model, Module) else model


def cond(pred, true_fn, false_fn, operands=()):
    """What one of two functions gives, chosen by a condition.

    >>> torch.cond(torch.tensor(True), torch.sin, torch.cos, (torch.tensor(0.0),))
    """
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists "
            f"of tensor leaves, but got {operands}."
        )
    return true_fn(*operands) if pred else false_fn(*operands)


def while_loop(cond_fn, body_fn, carried_inputs):
    """Calls a function with its own results for as long as a condition holds.

    >>> torch.while_loop(lambda i: i < 3, lambda i: (i + 1,), (torch.tensor(0),))
    """
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        carried = body_fn(*carried)
        carried = tuple(carried) if isinstance(carried, (tuple, list)) else (carried,)
    return carried


class OutOfMemoryError(RuntimeError):
    """Raised by PyTorch where a device has no memory left.

    >>> issubclass(torch.OutOfMemoryError, RuntimeError)
    """

    __module__ = "torch"


class AcceleratorError(RuntimeError):
    """Raised by PyTorch where a device fails.

    >>> issubclass(torch.AcceleratorError, RuntimeError)
    """

    __module__ = "torch"
