"""Gradients compared with what nudging the inputs shows: `gradcheck` and `gradgradcheck`."""

from warnings import warn

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad.autograd.grad_mode import enable_grad, no_grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` where a gradient is not what nudging the input shows.

    >>> issubclass(torch.autograd.GradcheckError, RuntimeError)
    """

    pass


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True,
              nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
              check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
              check_backward_ad=True, fast_mode=False, masked=None):
    """Compares the gradients of `func` with what nudging its inputs does. Use float64 inputs.

    >>> x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.tanh, x)
    """
    for given, words in (
        (check_forward_ad or check_backward_ad,
         "Expected at least one of check_forward_ad or check_backward_ad to be True"),
        (check_backward_ad or not check_batched_grad,
         "Setting check_batched_grad=True requires check_backward_ad to be True"),
        (check_forward_ad or not check_batched_forward_grad,
         "Setting check_batched_forward_grad=True requires check_forward_ad to be True"),
    ):
        if not given:
            raise AssertionError(words)
    inputs = _as_tuple(inputs)
    chosen = _checked(inputs)
    try:
        outputs = [y for y in _as_tuple(func(*inputs))]
        numerical = [_nudged(func, inputs, i, eps) for i in chosen]
        if not any([_takes_part(y) for y in outputs]):
            for columns in numerical:
                if any([bool((column != 0).any()) for column in columns]):
                    raise GradcheckError("Numerical gradient for function expected to be zero")
            return True
        if check_forward_ad:
            forward = [_by_columns(func, inputs, i) for i in chosen]
            _compare(outputs, chosen, numerical, lambda o, k: forward[k][o], atol, rtol,
                     "computed with forward mode ")
        if check_backward_ad:
            backward = {}

            def rows(o, k):
                if o not in backward:
                    backward[o] = _by_rows(outputs[o], [inputs[i] for i in chosen], nondet_tol)
                return backward[o][k]

            _compare(outputs, chosen, numerical, rows, atol, rtol, "")
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0,
                  check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
                  check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False,
                  masked=False):
    """`gradcheck` of the gradients of `func`: checks second derivatives.

    >>> x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.tanh, x)
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    inputs = _as_tuple(inputs)
    chosen = [i for i, x in enumerate(inputs) if isinstance(x, TensorBase) and x.requires_grad]
    if grad_outputs is None:
        outputs = [y for y in _as_tuple(func(*inputs)) if _takes_part(y)]
        grad_outputs = [
            _C.uniform_(_C.full(y.shape, 0, y.dtype, False), -1.0, 1.0, None).requires_grad_()
            for y in outputs
        ]
    grad_outputs = _as_tuple(grad_outputs)
    n = len(inputs)

    def gradients(*arguments):
        values, seeds = arguments[:n], arguments[n:]
        with enable_grad():
            values = [
                x if i not in chosen or x.requires_grad else x.detach().requires_grad_()
                for i, x in enumerate(values)
            ]
            results = [y for y in _as_tuple(func(*values)) if _takes_part(y)]
            grads = _C.grad(results, [values[i] for i in chosen], list(seeds), True, True, True,
                            False)
        return tuple([g for g in grads if g is not None])

    return gradcheck(gradients, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol,
                     raise_exception=raise_exception, nondet_tol=nondet_tol,
                     check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev)


def _as_tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _takes_part(y):
    return isinstance(y, TensorBase) and y.requires_grad


def _checked(inputs):
    """The places of the inputs that require grad."""
    chosen = [i for i, x in enumerate(inputs) if isinstance(x, TensorBase) and x.requires_grad]
    for i in chosen:
        if inputs[i].dtype != _C.float64:
            warn(f"Input #{i} requires gradient and is not a double precision floating point or "
                 "complex. This check will likely fail if all the inputs are not of double "
                 "precision floating point or complex. ")
        sizes = zip(inputs[i].stride(), inputs[i].shape)
        if not all([stride > 0 or size <= 1 for stride, size in sizes]):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                "that are non-overlapping to be able to compute the numerical gradients "
                "correctly. You should call .contiguous on the input before passing it to "
                "gradcheck."
            )
    if not chosen:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    return chosen


def _nudged(func, inputs, index, eps):
    """For each output what nudging an input does to it: a row for each of its elements."""
    x = inputs[index].detach()
    flat = x.reshape(-1).tolist()
    rows = []
    for k in range(len(flat)):
        ends = []
        for sign in (1, -1):
            nudged = list(flat)
            nudged[k] += sign * eps
            moved = _C.from_data(nudged, x.dtype, False).reshape(x.shape)
            with no_grad():
                results = _as_tuple(func(*[
                    moved if i == index else y.detach() if isinstance(y, TensorBase) else y
                    for i, y in enumerate(inputs)
                ]))
            ends.append([y.detach().reshape(-1) for y in results])
        rows.append([(a - b) / (2 * eps) for a, b in zip(*ends)])
    return [_C.stack(list(column)) for column in zip(*rows)]


def _by_rows(output, inputs, nondet_tol):
    """The Jacobians of an output by walking back, once for each of its elements."""
    n = output.numel()
    columns = []
    for j in range(n):
        seed = [0.0] * n
        seed[j] = 1.0
        seed = _C.from_data(seed, output.dtype, False).reshape(output.shape)
        walks = [_C.grad([output], inputs, [seed], True, False, True, False) for _ in range(2)]
        for once, again in zip(*walks):
            if once is not None and bool(((once - again).abs() > nondet_tol).any()):
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and "
                    "grad_output multiple times gives different values, although analytical "
                    "gradient matches numerical gradient."
                    f"The tolerance for nondeterminism was {nondet_tol}."
                )
        columns.append([
            _C.full((x.numel(),), 0, x.dtype, False) if g is None else g.detach().reshape(-1)
            for g, x in zip(walks[0], inputs)
        ])
    return [_C.stack(list(each), 1) for each in zip(*columns)]


def _by_columns(func, inputs, index):
    """The Jacobians of all outputs by derivatives forward, once for each element of an input."""
    from glowgrad.func import jvp

    x = inputs[index].detach()

    def along(value):
        return func(*[value if i == index else y for i, y in enumerate(inputs)])

    rows = []
    for k in range(x.numel()):
        tangent = [0.0] * x.numel()
        tangent[k] = 1.0
        tangent = _C.from_data(tangent, x.dtype, False).reshape(x.shape)
        rows.append([y.detach().reshape(-1) for y in _as_tuple(jvp(along, (x,), (tangent,))[1])])
    return [_C.stack(list(column)) for column in zip(*rows)]


def _compare(outputs, chosen, numerical, analytical, atol, rtol, mode):
    for o, output in enumerate(outputs):
        if not _takes_part(output):
            continue
        for k, columns in enumerate(numerical):
            expected, given = columns[o], analytical(o, k)
            if not bool(((given - expected).abs() <= atol + rtol * expected.abs()).all()):
                # PyTorch counts outputs and inputs among those that require grad.
                number = len([y for y in outputs[:o] if _takes_part(y)])
                raise GradcheckError(
                    f"Jacobian {mode}mismatch for output {number} with respect to input {k},\n"
                    f"numerical:{expected}\nanalytical:{given}\n"
                )
