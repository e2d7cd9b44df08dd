"""Products with Jacobians and Hessians, and whole ones: `vjp`, `jvp`, `hvp`, `vhp`, `hessian`."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad.autograd._tape import Pushing, pulled
from glowgrad.autograd.grad_mode import enable_grad, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_STRICT = "This is not allowed in strict mode."
_STRICT_CREATE = "This is not allowed in strict mode when create_graph=True."


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The value of `func`, and the product of a vector with its Jacobian.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.vjp(torch.exp, x, torch.ones(2))
    """
    with enable_grad():
        many_inputs, inputs = _opened("vjp", inputs, create_graph)
        many_outputs, outputs = _called("vjp", func, inputs, strict)
        if v is not None:
            v = _vector("vjp", v, outputs, many_outputs, create_graph)
        elif len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single "
                "Tensor with a single element."
            )
    with set_grad_enabled(create_graph or _C.is_grad_enabled()):
        grads = pulled(outputs, inputs, v or [None], create_graph, create_graph)
        grads = _filled(grads, inputs, strict, create_graph, (
            "The output of the user-provided function is independent of input {}. ",
            "The jacobian of the user-provided function is independent of input {}. ",
        ))
    return _closed(outputs, many_outputs, create_graph), _closed(grads, many_inputs, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The value of `func`, and the product of its Jacobian with a vector.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.jvp(torch.exp, x, torch.ones(2))
    """
    with enable_grad():
        many_inputs, inputs = _opened("jvp", inputs, create_graph)
        v = _vector_of_inputs("jvp", v, inputs, many_inputs, create_graph)
        many_outputs, outputs = _called("jvp", func, inputs, strict)
        push = Pushing(outputs, inputs)
        if strict:
            _need_graph(push.linear, (
                "The output of the user-provided function is independent of input {}. " + _STRICT,
                "The gradient with respect to input {} is independent of the inputs of the "
                "user-provided function. " + _STRICT,
            ))
    with set_grad_enabled(create_graph or _C.is_grad_enabled()):
        tangents = push(v, create_graph)
        tangents = _filled(tangents, outputs, strict, create_graph, (
            "The gradient with respect to the input is independent of entry {} in the grad_outputs "
            "when using the double backward trick to compute forward mode gradients. ",
            "The jacobian of the user-provided function is independent of input {}. ",
        ))
    return (
        _closed(outputs, many_outputs, create_graph), _closed(tangents, many_outputs, create_graph)
    )


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False,
             strategy="reverse-mode"):
    """Every derivative of every element that `func` gives, in the shape of output and input.

    >>> torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1.0, 2.0]))
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        many_inputs, inputs = _opened("jacobian", inputs, create_graph)
        many_outputs, outputs = _called("jacobian", func, inputs, strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                "supported together. Please either set `strict=False` or `vectorize=False`."
            )
        blocks = []
        for i, y in enumerate(outputs):
            columns = [[] for _ in inputs]
            for element in y.reshape(-1).unbind() if y.numel() else ():
                grads = pulled([element], inputs, [None], True, create_graph)
                for k, gradient in enumerate(grads):
                    if strict and gradient is None:
                        raise RuntimeError(
                            f"Output {i} of the user-provided function is independent of input "
                            f"{k}. {_STRICT}"
                        )
                    if strict and create_graph and not gradient.requires_grad:
                        raise RuntimeError(
                            "The jacobian of the user-provided function is independent of input "
                            f"{i}. {_STRICT_CREATE}"
                        )
                    columns[k].append(_zeros(inputs[k]) if gradient is None else gradient)
            blocks.append(tuple([
                _C.stack(rows).view(y.shape + x.shape) if rows
                else _C.full(y.shape + x.shape, 0, x.dtype, False)
                for rows, x in zip(columns, inputs)
            ]))
    rows = [_closed(block, many_inputs, create_graph) for block in blocks]
    return tuple(rows) if many_outputs else rows[0]


def _forward_jacobian(func, inputs, create_graph, strict, vectorize):
    together = (
        "torch.autograd.functional.jacobian: `{}=True` and `strategy=\"forward-mode\"` are not "
        "supported together (yet). Please either set `{}=False` or `strategy=\"reverse-mode\"`."
    )
    if create_graph:
        raise NotImplementedError(together.format("create_graph", "create_graph"))
    if strict:
        raise RuntimeError(together.format("strict", "strict"))
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is"
            "only implemented for `vectorize=True`."
        )
    from glowgrad.func import jacfwd

    many_inputs, inputs = _as_tuple(inputs, "inputs", "jacobian")
    found = jacfwd(func, tuple(range(len(inputs))))(*inputs)
    if isinstance(found[0], tuple):
        return [list(row) for row in found] if many_inputs else tuple([row[0] for row in found])
    return list(found) if many_inputs else found[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False,
            outer_jacobian_strategy="reverse-mode"):
    """Every second derivative of the number that `func` gives.

    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]))
    """
    many_inputs, inputs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def number(*values):
        result = func(*values)
        many, results = _as_tuple(result, "outputs of the user-provided function", "hessian")
        _need_results(results, strict)
        _need_one_number("hessian", many, results)
        return results[0].squeeze()

    def gradient(*values):
        found = jacobian(number, values, create_graph=True)
        if strict:
            _need_graph(found, (None, _NO_JACOBIAN))
        return found

    found = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found if many_inputs else found[0][0]


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The value of `func`, a number, and the product of a vector with its Hessian.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), x, torch.ones(2))
    """
    with enable_grad():
        many_inputs, inputs, v, outputs, gradient = _gradient_of(
            "vhp", func, inputs, v, create_graph, strict
        )
    with set_grad_enabled(create_graph or _C.is_grad_enabled()):
        found = pulled([_or_zeros(g, x) for g, x in zip(gradient, inputs)], inputs,
                       v or [None], create_graph, create_graph)
        found = _filled(found, inputs, strict, create_graph, (
            "The jacobian of the user-provided function is independent of input {}. ",
            "The hessian of the user-provided function is independent of input {}. ",
        ))
    return _closed(outputs, False, create_graph), _closed(found, many_inputs, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """The value of `func`, a number, and the product of its Hessian with a vector.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), x, torch.ones(2))
    """
    with enable_grad():
        many_inputs, inputs, v, outputs, gradient = _gradient_of(
            "hvp", func, inputs, v, create_graph, strict
        )
        push = Pushing([_or_zeros(g, x) for g, x in zip(gradient, inputs)], inputs)
    with set_grad_enabled(create_graph or _C.is_grad_enabled()):
        found = push(v or [_C.full(inputs[0].shape, 1, inputs[0].dtype, False)], create_graph)
        found = _filled(found, inputs, strict, create_graph, (
            "The hessian of the user-provided function is independent of entry {} in the "
            "grad_jacobian. ",
            "The hessian of the user-provided function is independent of input {}. ",
        ))
    return _closed(outputs, False, create_graph), _closed(found, many_inputs, create_graph)


_NO_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with "
    "respect to input {} is independent of the input. This is not allowed in strict mode. You "
    "should ensure that your function is twice differentiable and that the jacobian depends on the "
    "inputs (this would be violated by a linear function for example)."
)


def _gradient_of(name, func, inputs, v, create_graph, strict):
    """What `vhp` and `hvp` begin with: inputs on the tape, and the gradient of the number."""
    many_inputs, inputs = _opened(name, inputs, create_graph)
    v = _vector_of_inputs(name, v, inputs, many_inputs, create_graph)
    many_outputs, outputs = _called(name, func, inputs, strict)
    _need_one_number(name, many_outputs, outputs)
    gradient = pulled(outputs, inputs, [None], True, True)
    if strict:
        _need_graph(gradient, (
            "The output of the user-provided function is independent of input {}. " + _STRICT,
            _NO_JACOBIAN,
        ))
    return many_inputs, inputs, v, outputs, gradient


def _as_tuple(given, what, name):
    many = isinstance(given, tuple)
    given = given if many else (given,)
    for i, x in enumerate(given):
        if not isinstance(x, TensorBase):
            which = f"value at index {i} has type" if many else f"given {what} has type"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the "
                f"{which} {type(x)}."
            )
    return many, given


def _opened(name, inputs, create_graph):
    """The inputs as tensors on the tape, apart from where they were unless the graph is wanted."""
    many, inputs = _as_tuple(inputs, "inputs", name)
    return many, tuple([
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_()
        for x in inputs
    ])


def _called(name, func, inputs, strict):
    many, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", name)
    _need_results(outputs, strict)
    return many, outputs


def _vector(name, v, others, many, create_graph):
    _, v = _as_tuple(v, "v", name)
    v = [x.view_as(x) if create_graph and x.requires_grad else x.detach() for x in v]
    if len(v) != len(others):
        if many:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(others)} but got {len(v)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (x, other) in enumerate(zip(v, others)):
        if x.shape != other.shape:
            entry = f"Entry {i} in " if many else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {other.shape} but got {x.shape}."
            )
    return v


def _vector_of_inputs(name, v, inputs, many, create_graph):
    if v is not None:
        return _vector(name, v, inputs, many, create_graph)
    if len(inputs) != 1 or inputs[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single "
            "Tensor with a single element."
        )
    return [_C.full(inputs[0].shape, 1, inputs[0].dtype, False)]


def _need_results(outputs, strict):
    for i, y in enumerate(outputs):
        if strict and not y.requires_grad:
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs "
                "must be computed in a differentiable manner from the input when running in strict "
                "mode."
            )


def _need_one_number(name, many, outputs):
    if many:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )


def _need_graph(grads, words):
    """Strict: every gradient is there and can be differentiated."""
    for i, gradient in enumerate(grads):
        if gradient is None:
            raise RuntimeError(words[0].format(i))
        if not gradient.requires_grad:
            raise RuntimeError(words[1].format(i))


def _filled(grads, others, strict, create_graph, words):
    """Zeros in the place of None; strict, an error."""
    for i, gradient in enumerate(grads):
        if strict and gradient is None:
            raise RuntimeError(words[0].format(i) + _STRICT)
        if strict and create_graph and not gradient.requires_grad:
            raise RuntimeError(words[1].format(i) + _STRICT_CREATE)
    return [_or_zeros(gradient, x) for gradient, x in zip(grads, others)]


def _closed(results, many, create_graph):
    results = tuple([x if create_graph else x.detach() for x in results])
    return results if many else results[0]


def _zeros(x):
    return _C.full(x.shape, 0, x.dtype, False)


def _or_zeros(gradient, x):
    return _zeros(x) if gradient is None else gradient
