"""What each op's gradient reads: for the gradient of each input, which inputs and results must not be
written over before `backward()`.

The calls are those of the other families. Each is made once for every input that may want a gradient
and every tensor that may be written: PyTorch raises, or it does not.
"""

import torch

from .calls import templates
from .record import FLOATS, F32, Tensor, attribute

# At most so many calls of an op, each with other inputs or options.
KEPT = 6
WRITTEN_OVER = "modified by an inplace operation"
# These are written already, or draw anew at each call.
LEFT_OUT = {"setitem", "rrelu", "dropout", "alpha_dropout"}


def raises(function, inputs, attrs, names, grad_of, wants, written):
    """Whether `backward()` raises because of the write; none where no gradient reaches the input."""
    built = [item.build() for item in inputs]
    for i, tensor in enumerate(built):
        if isinstance(tensor, torch.Tensor):
            tensor.requires_grad_(i == wants)
    by_name = dict(zip(names, built)) if names else {}
    result = function(*([] if names else built), **by_name, **attrs)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    source = results[grad_of]
    if not source.requires_grad:
        return None
    total = source.sum()
    tensors = built + results
    if written >= len(tensors) or not isinstance(tensors[written], torch.Tensor):
        return False
    with torch.no_grad():
        over = tensors[written]
        over.copy_(over.clone())
    try:
        (grad,) = torch.autograd.grad(total, [built[wants]], allow_unused=True)
    except RuntimeError as error:
        if WRITTEN_OVER in str(error):
            return True
        raise
    return None if grad is None else False


def shares_memory(function, inputs, attrs, names):
    """Whether a result is a view of an input: a write to one is a write to the other."""
    built = [item.build() for item in inputs]
    by_name = dict(zip(names, built)) if names else {}
    result = function(*([] if names else built), **by_name, **attrs)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    places = {x.untyped_storage().data_ptr() for x in built if isinstance(x, torch.Tensor)}
    return any(x.untyped_storage().data_ptr() in places for x in results)


def call(op, function, inputs, attrs, names, grad_of):
    if shares_memory(function, inputs, attrs, names):
        return None
    found = []
    for wants, item in enumerate(inputs):
        if not isinstance(item, Tensor) or item.dtype not in FLOATS or not item.requires_grad:
            found.append(None)
            continue
        # The results come after the inputs.
        each = [
            raises(function, inputs, attrs, names, grad_of, wants, written)
            for written in range(len(inputs) + grad_of + 1)
        ]
        found.append(None if None in each else [i for i, raised in enumerate(each) if raised])
    if all(one is None for one in found):
        return None
    out = {"op": op, "inputs": [item.json(item.build()) for item in inputs]}
    if names:
        out["inputs_names"] = names
    if attrs:
        out["attrs"] = {name: attribute(value) for name, value in attrs.items()}
    if grad_of:
        out["grad_of"] = grad_of
    return out | {"raises": found}


def cases(families):
    for op, found in sorted(templates(families).items()):
        if op in LEFT_OUT:
            continue
        kept = {}
        for function, inputs, attrs, names, grad_of, _ in found:
            floats = {item.dtype for item in inputs if isinstance(item, Tensor) and item.dtype in FLOATS}
            words = {k: v if isinstance(v, (bool, str)) else type(v).__name__ for k, v in attrs.items()}
            sort = f"{len(inputs)} {names} {sorted(words.items())}"
            if floats != {F32} or sort in kept or len(kept) == KEPT:
                continue
            try:
                made = call(op, function, inputs, attrs, names, grad_of)
            except (RuntimeError, NotImplementedError):
                made = None
            if made is not None:
                kept[sort] = made
        yield from kept.values()
