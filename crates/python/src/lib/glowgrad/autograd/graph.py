"""The graph behind results: its nodes, and hooks on several gradients at once."""

from collections import namedtuple
from contextlib import contextmanager

from _glowgrad import Node, TensorBase
from glowgrad.autograd._tape import node_of
from glowgrad.autograd.grad_mode import no_grad

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
    "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
]

GradientEdge = namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"],
                          defaults=(None,))


def get_gradient_edge(tensor):
    """The node that a tensor's gradient goes to, and the number of its result.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.graph.get_gradient_edge(x * 2).node
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    return GradientEdge(node_of(tensor), 0)


def increment_version(tensor):
    """Counts a tensor as written into once more.

    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    """
    with no_grad():
        for x in (tensor,) if isinstance(tensor, TensorBase) else tensor:
            x.copy_(x.clone())


class saved_tensors_hooks:
    """Would pack what rules save; the engine saves by itself, and `grad_fn` shows what it saved.

    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).grad_fn._saved_self
    """

    def __init__(self, pack_hook, unpack_hook):
        raise NotImplementedError(
            "saved_tensors_hooks: the engine keeps what rules read by itself; a "
            "torch.autograd.Function may pack and unpack what it saves"
        )


class save_on_cpu:
    """Accepted: what rules read stays where it is.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    >>>     y = (x * x).sum()
    >>> torch.autograd.grad(y, x)
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        pass


@contextmanager
def disable_saved_tensors_hooks(error_message):
    """Accepted: there are no such hooks to disable.

    >>> with torch.autograd.graph.disable_saved_tensors_hooks("none here"):
    >>>     x = torch.ones(2)
    >>> x
    """
    yield


def allow_mutation_on_saved_tensors():
    """Would clone what is written over; here write out of place, or clone.

    >>> x = torch.ones(2, requires_grad=True)
    >>> y = x.exp()
    >>> y + 1
    """
    raise NotImplementedError(
        "allow_mutation_on_saved_tensors: write out of place, or into a clone() of the tensor"
    )


class _Handles:
    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Calls `fn` in a walk back: with the gradients of all tensors, or with the first of any.

    >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook((a, b), lambda grads: print(grads))
    >>> (2 * a + 3 * b).sum().backward()
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = list(tensors)
    arrived = {}

    def hook(i):
        def keep(gradient):
            # A gradient for a second time: a walk of its own.
            if i in arrived:
                arrived.clear()
            arrived[i] = gradient
            if mode == "any" and len(arrived) == 1:
                fn(gradient)
            if mode == "all" and len(arrived) == len(tensors):
                grads = [arrived[k] for k in range(len(tensors))]
                arrived.clear()
                fn(grads)

        return keep

    return _Handles([
        x.register_hook(hook(i)) for i, x in enumerate(tensors) if x.requires_grad or mode == "all"
    ])
