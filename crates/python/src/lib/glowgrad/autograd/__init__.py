"""The tape: switching it off, asking for gradients, functions with a gradient of their own."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._later import _later
from glowgrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from glowgrad.autograd.function import Function, FunctionCtx
from glowgrad.autograd.grad_mode import (
    enable_grad, enforce_grad_layout_policy, inference_mode, is_grad_enabled,
    is_inference_mode_enabled, no_grad, set_grad_enabled, set_multithreading_enabled,
)
from glowgrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from glowgrad.autograd.variable import Variable

__all__ = [
    "Function", "FunctionCtx", "GradcheckError", "Variable", "backward", "detect_anomaly",
    "enable_grad", "enforce_grad_layout_policy", "forward_ad", "functional", "grad", "gradcheck", "gradgradcheck", "graph",
    "inference_mode", "no_grad", "profiler", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled",
]


# Loaded when first asked for.
_LATER = {"forward_ad": (), "functional": (), "graph": (), "profiler": ()}
__getattr__, __dir__ = _later(__name__, _LATER, __name__)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False,
             grad_variables=None, inputs=None):
    """Walks back from several tensors at once; gradients arrive in the leaves' `.grad`.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.backward([(x * 2).sum(), (x * 3).sum()])
    >>> x.grad
    """
    if grad_variables is not None:
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    tensors = (tensors,) if isinstance(tensors, TensorBase) else tuple(tensors)
    grads = _as_list(grad_tensors, len(tensors))
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        _C.backward_all(list(tensors), grads, keep, create_graph)
        return
    inputs = _asked("backward", inputs)
    if len(tensors) == 1:
        tensors[0].backward(grads[0], keep, create_graph, list(inputs))
        return
    for x, gradient in zip(inputs, _C.grad(
        list(tensors), list(inputs), grads, keep, create_graph, True, False
    )):
        if gradient is not None:
            x.grad = gradient if x.grad is None else x.grad + gradient


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
         only_inputs=True, allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """The gradients of outputs with respect to inputs; `.grad` stays as it was.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x ** 2, x)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    outputs = [outputs] if isinstance(outputs, TensorBase) else list(outputs)
    chosen = _asked("grad", inputs)
    grad_outputs = _as_list(grad_outputs, len(outputs))
    keep = create_graph if retain_graph is None else retain_graph

    def walk(seeds, keep):
        return _C.grad(
            outputs, list(chosen), seeds, keep, create_graph, allow_unused, materialize_grads
        )

    if is_grads_batched:
        grads = _walked_each(walk, outputs, grad_outputs, keep)
    else:
        grads = walk(grad_outputs, keep)
    return dict(zip(inputs, grads)) if type(inputs) is dict else tuple(grads)


def _asked(name, inputs):
    """The `inputs` of a walk: a tensor, several, or a dict of them."""
    if isinstance(inputs, TensorBase):
        return (inputs,)
    inputs = tuple(inputs.values() if type(inputs) is dict else inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    return inputs


def _as_list(grads, length):
    if grads is None:
        return [None] * length
    return [grads] if isinstance(grads, TensorBase) else list(grads)


def _walked_each(walk, outputs, batches, keep):
    """A walk for each gradient of a batch, and their results stacked."""
    for i, (output, batch) in enumerate(zip(outputs, batches)):
        if batch is not None and batch.shape[1:] != output.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                "match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{i}] has a shape of {batch.shape} and output[{i}] has a shape of "
                f"{output.shape}. If you only want some tensors in `grad_output` to be considered "
                "batched, consider using vmap."
            )
    given = [batch for batch in batches if batch is not None]
    if not given:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    count = len(given[0])
    rows = [
        walk([None if batch is None else batch[k] for batch in batches], keep or k < count - 1)
        for k in range(count)
    ]
    return [None if column[0] is None else _C.stack(list(column)) for column in zip(*rows)]


def variable(*args, **kwargs):
    """What came before `torch.tensor`.

    >>> torch.tensor([1.0])
    """
    raise RuntimeError(
        "torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead"
    )
