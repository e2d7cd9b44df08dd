"""Derivatives of functions, as functions: `grad`, `vjp`, `jvp`, `jacrev`, `jacfwd`, `hessian`.

A transform runs its function on aliases of its arguments. Where nothing else on the tape is behind
the result, what it gives is off the tape, as are its arguments; otherwise it stays on it, so that
transforms can be nested.
"""

from functools import update_wrapper

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad.autograd._tape import Pushing, alias, pulled, reaches
from glowgrad.autograd.grad_mode import enable_grad
from glowgrad.func._tree import flatten, shown, spelled, tree_map, unflatten


def grad(func, argnums=0, has_aux=False):
    """A function that gives the gradient of a function whose result is a number.

    >>> torch.func.grad(torch.sin)(torch.tensor(0.0))
    """
    both = grad_and_value(func, argnums, has_aux)

    def wrapper(*args, **kwargs):
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return _named_after(func, wrapper)


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives the gradient and the value of a function whose result is a number.

    >>> torch.func.grad_and_value(torch.cos)(torch.tensor(0.0))
    """

    def wrapper(*args, **kwargs):
        taping = _C.is_grad_enabled()
        with enable_grad():
            args, wanted, own = _opened(args, argnums)
            output = func(*args, **kwargs)
            if has_aux:
                output, aux = _with_aux("grad_and_value(f)(*args)", output)
            if not isinstance(output, TensorBase):
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got "
                    f"{type(output)}"
                )
            if output.ndim != 0:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got "
                    f"tensor with {output.ndim} dims. Maybe you wanted to use the vjp or jacrev "
                    "APIs instead?"
                )
            inputs, structure = flatten(wanted)
            keep = taping and reaches([output], own)
            grads = _filled(pulled([output], inputs, [None], keep or has_aux, keep), inputs)
        grads = unflatten(_closed(grads, keep), structure)
        output = _closed([output], keep)[0]
        return (grads, (output, _closed_aux(aux, taping, own))) if has_aux else (grads, output)

    return _named_after(func, wrapper)


def vjp(func, *primals, has_aux=False):
    """The value of a function, and a function that gives the product of vectors with its Jacobian.

    >>> value, pull = torch.func.vjp(torch.exp, torch.tensor([0.0, 1.0]))
    >>> pull(torch.ones(2))
    """
    return _vjp(func, primals, None, has_aux)


def _vjp(func, args, argnums, has_aux):
    taping = _C.is_grad_enabled()
    with enable_grad():
        args, wanted, own = _opened(args, argnums)
        output = func(*args)
        if has_aux:
            output, aux = _with_aux("vjp(f, *primals)", output)
        outputs, structure = _results("vjp(f, *primals)", output)
        inputs, of_inputs = flatten(wanted)
        kept = taping and reaches(outputs, own)
    value = unflatten(_closed(outputs, kept), structure)

    def pull(*cotangents, retain_graph=True, create_graph=None):
        cotangents = cotangents[0] if len(cotangents) == 1 else cotangents
        seeds, given = flatten(cotangents)
        if given != structure:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {shown(given)}, primal output: "
                f"{shown(structure)}"
            )
        create = _C.is_grad_enabled() if create_graph is None else create_graph
        create = create and (kept or any([seed.requires_grad for seed in seeds]))
        with enable_grad():
            grads = _filled(pulled(outputs, inputs, seeds, retain_graph, create), inputs)
        return unflatten(_closed(grads, create), of_inputs)

    return (value, pull, _closed_aux(aux, taping, own)) if has_aux else (value, pull)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """The value of a function, and the product of its Jacobian with the tangents.

    >>> torch.func.jvp(torch.exp, (torch.tensor([0.0, 1.0]),), (torch.ones(2),))
    """
    name = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    flat_primals, structure = flatten(primals)
    flat, given = flatten(tangents)
    if given != structure:
        raise RuntimeError(
            f"{name}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
            f"structure {spelled(structure)} and tangents with structure {spelled(given)}"
        )
    for what, leaves in (("primals", flat_primals), ("tangents", flat)):
        if not leaves:
            raise RuntimeError(f"{name}: Expected {what} to contain at least one Tensor.")
        for each in leaves:
            if not isinstance(each, TensorBase):
                raise RuntimeError(
                    f"{name}: Expected {what} to only contain Tensors, got {type(each)}"
                )
    value, push, *aux = _linear(func, primals, None, has_aux)
    found = push(flat)
    if strict and any([tangent is None for tangent in found]):
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
            "This is not allowed with strict=True."
        )
    return (value, push.shaped(found), *aux)


class _Push:
    """The derivative of a function at one point: tangents in, tangents out."""

    def __init__(self, outputs, structure, inputs, own, taping):
        self.outputs, self.structure = outputs, structure
        self.taping, self.kept = taping, taping and reaches(outputs, own)
        with enable_grad():
            self.push = Pushing(outputs, inputs)

    def __call__(self, tangents):
        create = self.taping and (self.kept or any([t.requires_grad for t in tangents]))
        found = self.push(tangents, create)
        return [None if t is None else t if create else t.detach() for t in found]

    def shaped(self, found):
        """Tangents in the structure of the results, zeros where there is none."""
        return unflatten(_filled(found, self.outputs), self.structure)


def _linear(func, args, argnums, has_aux):
    """The value of a function at its arguments, its derivative there, and the rest it gives."""
    name = "jvp(f, primals, tangents)"
    taping = _C.is_grad_enabled()
    with enable_grad():
        args, wanted, own = _opened(args, argnums)
        output = func(*args)
        if has_aux:
            output, aux = _with_aux(name, output)
        outputs, structure = _results(name, output)
    push = _Push(outputs, structure, flatten(wanted)[0], own, taping)
    value = unflatten(_closed(outputs, push.kept), structure)
    return (value, push, _closed_aux(aux, taping, own)) if has_aux else (value, push)


def linearize(func, *primals):
    """The value of a function, and its derivative there as a function of tangents.

    >>> value, along = torch.func.linearize(torch.sin, torch.tensor([0.0, 1.0]))
    >>> along(torch.ones(2))
    """
    value, push = _linear(func, primals, None, False)
    flat, structure = flatten(primals)

    def along(*tangents):
        leaves, given = flatten(tangents)
        if given != structure:
            raise RuntimeError(
                f"Expected the tangents {spelled(given)} to have the same argspec as the primals "
                f"{spelled(structure)}"
            )
        for i, (tangent, x) in enumerate(zip(leaves, flat)):
            for what in ("shape", "dtype"):
                a, b = getattr(tangent, what), getattr(x, what)
                if a != b:
                    raise RuntimeError(
                        f"tangent:{i} with {what} {a} in flattened pytree doesn't match the {what} "
                        f"{b} of the corresponding primal."
                    )
        return push.shaped(push(leaves))

    return value, along


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """A function that gives every derivative of every element of the result, walking back for each.

    >>> torch.func.jacrev(torch.sin)(torch.tensor([0.0, 1.0]))
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def wrapper(*args, **kwargs):
        call = (lambda *given: func(*given, **kwargs)) if kwargs else func
        value, pull, *aux = _vjp(call, args, argnums, has_aux)
        outputs, structure = flatten(value)
        inputs, of_inputs = flatten(_chosen(args, argnums))
        blocks = []
        for i, y in enumerate(outputs):
            rows = []
            for basis in _basis(y):
                seeds = [basis if k == i else _zeros(each) for k, each in enumerate(outputs)]
                rows.append(flatten(pull(unflatten(seeds, structure)))[0])
            blocks.append(unflatten([
                _C.stack(list(column)).reshape(y.shape + x.shape)
                for column, x in zip(zip(*rows), inputs)
            ], of_inputs))
        found = unflatten(blocks, structure)
        return (found, aux[0]) if has_aux else found

    return _named_after(func, wrapper)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """A function that gives every derivative of every element of the result, one input at a time.

    >>> torch.func.jacfwd(torch.sin)(torch.tensor([0.0, 1.0]))
    """

    def wrapper(*args):
        value, push, *aux = _linear(func, args, argnums, has_aux)
        outputs, structure = flatten(value)
        inputs, of_inputs = flatten(_chosen(args, argnums))
        columns = [[] for _ in outputs]
        for i, x in enumerate(inputs):
            rows = []
            for basis in _basis(x):
                tangents = [basis if k == i else _zeros(each) for k, each in enumerate(inputs)]
                rows.append(_filled(push(tangents), outputs))
            for column, y, found in zip(columns, outputs, zip(*rows)):
                column.append(_C.stack(list(found), -1).reshape(y.shape + x.shape))
        found = unflatten([unflatten(column, of_inputs) for column in columns], structure)
        return (found, aux[0]) if has_aux else found

    return _named_after(func, wrapper)


def hessian(func, argnums=0):
    """A function that gives every second derivative of a function.

    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1.0, 2.0]))
    """
    return jacrev(jacrev(func, argnums), argnums)


def functionalize(func, *, remove="mutations"):
    """The function itself: here the tape follows what is written in place, and values are the same.

    >>> torch.func.functionalize(lambda x: x.clone().add_(1))(torch.zeros(2))
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. "
            "Valid options are: remove='mutations', remove='mutations_and_views'"
        )
    return func


def _named_after(func, wrapper):
    """The wrapper with the name of what it wraps, which may be a module."""
    return update_wrapper(wrapper, func, updated=())


def _chosen(args, argnums):
    """The arguments that are differentiated: one, or a tuple of several; all for None."""
    if argnums is None:
        return args
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, int):
        return args[_place(argnums, len(args))]
    places = [_place(each, len(args)) for each in argnums]
    if not places:
        raise RuntimeError("argnums must be non-empty")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(places)}")
    return tuple([args[place] for place in places])


def _place(argnum, count):
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def _opened(args, argnums):
    """The arguments with aliases of those to differentiate; the aliases; those that are leaves."""
    own = []

    def open(x):
        if not isinstance(x, TensorBase):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        made, is_leaf = alias(x)
        if is_leaf:
            own.append(made)
        return made

    wanted = tree_map(open, _chosen(args, argnums))
    if argnums is None:
        return wanted, wanted, own
    args = list(args)
    if isinstance(argnums, int):
        args[argnums] = wanted
    else:
        for each, value in zip(argnums, wanted):
            args[each] = value
    return tuple(args), wanted, own


def _results(name, output):
    outputs, structure = flatten(output)
    if not outputs or outputs == [None]:
        raise RuntimeError(
            f"{name}: Expected f to be a function that has non-empty output (got output = "
            f"{outputs})"
        )
    for each in outputs:
        if not isinstance(each, TensorBase):
            what = "f(*args)" if name.startswith("jvp") and structure is None else "f(*primals)"
            raise RuntimeError(
                f"{name}: expected {what} to return only tensors, got unsupported type {type(each)}"
            )
    return outputs, structure


def _with_aux(name, output):
    if not isinstance(output, tuple) or len(output) != 2:
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return output


def _closed(tensors, keep):
    return [x if keep else x.detach() for x in tensors]


def _closed_aux(aux, taping, own):
    def close(x):
        if not isinstance(x, TensorBase):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
        return x if taping and reaches([x], own) else x.detach()

    return tree_map(close, aux)


def _filled(grads, others):
    return [_zeros(x) if gradient is None else gradient for gradient, x in zip(grads, others)]


def _zeros(x):
    return _C.full(x.shape, 0, x.dtype, False)


def _basis(x):
    """For each element a tensor that is 1 there and 0 elsewhere."""
    rows = _C.eye(x.numel(), x.numel(), x.dtype, False)
    return [row.reshape(x.shape) for row in rows.unbind()]
