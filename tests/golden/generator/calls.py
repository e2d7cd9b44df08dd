"""Random calls: the cases of all the other families with other dtypes, elements, shapes, layouts and
options, errors included.

A call is a case of a family (its op, function, inputs and options) and a few changes, drawn from a
generator that is seeded by the op's name and the call's number: a new op leaves the other ops' calls
as they are. What PyTorch raises is recorded by its type. A call is thrown away where PyTorch's CPU
only lacks a kernel, and where PyTorch itself has no one answer: it gives another one when the same
elements lie in memory that is cut in another place of a vector register.
"""

import json
import math
import os
import random
import sys
import traceback
import zlib

import torch

from . import record
from .record import ALL_DTYPES, BOOL, DTYPES, F16, F32, F64, FLOATS, I64, INF, NAN, Scalar, Tensor

# So many calls of each op are tried, and at most so many are kept.
TRIES, KEPT = 90, 24
# Elements of all inputs together, and of all results.
MOST = 24

# The golden caller gives these no tensor, or one result for each draw of a random generator.
LEFT_OUT = {"dropout"}
# Integer operands of these are places: they are drawn from the places of the family's own case.
PLACES = {
    "gather", "scatter", "scatter_add", "scatter_reduce", "index_add", "index_copy", "index_fill",
    "index_select", "index_put", "take", "take_along_dim", "embedding", "nll_loss", "cross_entropy",
    "multi_margin_loss", "one_hot", "index", "setitem",
}  # fmt: skip
# Python decides about these before an op is called: their options stay as they are.
FIXED = {
    "interpolate", "batch_norm", "instance_norm", "unfold", "fold", "einsum", "tensordot", "index",
    "setitem", "slice", "meshgrid", "rot90", "tensor_unfold", "as_strided", "view", "reshape",
    "split", "chunk", "pad", "unflatten", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "adaptive_max_pool1d", "adaptive_max_pool2d", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "arange", "linspace", "logspace",
}  # fmt: skip

FLOAT_EDGES = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-40, -1e-40, 3.0, 1e30, -1e30, 65504.0]
# Families of elementwise ops, and what else they hold.
ELEMENTWISE = {"unary", "binary", "trigonometry", "exponential", "rounding", "activation", "arithmetic", "bitwise"}
NOT_ELEMENTWISE = {"glu", "softmin", "prelu"}
CORNERS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1.0, 0.0]
NUMBERS = [0, 1, -1, 2, 3, True, False, 0.0, 0.5, -1.5, 2.5, 127, 128, -129, 255, 256, 300, 2**31, -(2**33), INF, NAN]


def templates(families):
    """Every call that the families make, by op: what `record.case` is given."""
    seen, family = {}, ""

    def note(op, function, inputs, attrs=None, *rest, **more):
        elements = sum(math.prod(item.shape) for item in inputs if isinstance(item, Tensor))
        if op not in LEFT_OUT and elements <= MOST:
            names = more.get("names") or (rest[1] if len(rest) > 1 else None)
            grad_of = more.get("grad_of") or (rest[2] if len(rest) > 2 else 0)
            elementwise = family in ELEMENTWISE and op not in NOT_ELEMENTWISE
            seen.setdefault(op, []).append((function, inputs, attrs or {}, names, grad_of, elementwise))
        return original(op, function, inputs, attrs, *rest, **more)

    original = record.case
    homes = [module for name, module in sys.modules.items() if name.startswith("generator.")]
    homes = [module for module in homes if getattr(module, "case", None) is original]
    for home in homes:
        home.case = note
    try:
        for family, makers in families.items():
            for maker in makers:
                for _ in maker():
                    pass
    finally:
        for home in homes:
            home.case = original
    return seen


def extremes(dtype):
    if dtype == BOOL:
        return [True, False]
    info = torch.iinfo(DTYPES[dtype])
    near = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1, info.max // 2 + 1]
    return near + ([-1, -2, -7] if info.min else [])


def elements(rng, op, item, dtype, count):
    """So many elements of a dtype for an input that had others."""
    own = item.data or [0]
    if item.dtype in FLOATS and dtype in FLOATS:
        kind = rng.random()
        if kind < 0.5:
            return [rng.choice(own) for _ in range(count)]
        if kind < 0.75:
            return [rng.choice(CORNERS) for _ in range(count)]
        if kind < 0.9:
            return [rng.choice(FLOAT_EDGES) if rng.random() < 0.4 else rng.choice(own) for _ in range(count)]
        return [rng.choice(FLOAT_EDGES) for _ in range(count)]
    if dtype in FLOATS:
        return [float(rng.choice([-2, -1, 0, 1, 2, 3])) for _ in range(count)]
    if item.dtype == I64 and op in PLACES:
        data = [rng.choice(own) for _ in range(count)]
        if data and rng.random() < 0.08:
            data[rng.randrange(count)] = rng.choice([-1, 99, -99, max(own) + 1])
        return data if dtype == I64 else [min(max(int(x), 0), 1) for x in data]
    if dtype == BOOL:
        return [rng.random() < 0.5 for _ in range(count)]
    pool = extremes(dtype) if rng.random() < 0.5 else [0, 1, 2, 3, 5]
    return [rng.choice(pool) for _ in range(count)]


def new_shape(rng, shape):
    shape = list(shape)
    kind = rng.random()
    if not shape or kind < 0.15:
        return rng.choice([[], [1], [0], [2, 1]])
    at = rng.randrange(len(shape))
    if kind < 0.5:
        shape[at] = 1
    elif kind < 0.65:
        shape[at] = 0
    elif kind < 0.85:
        del shape[at]
    else:
        shape.insert(at, rng.choice([1, 2]))
    return shape


def new_layout(rng, shape):
    if not math.prod(shape):
        return ""
    transposed = len(shape) >= 2 and min(shape[-2:]) >= 2
    sliced = len(shape) >= 1 and shape[-1] >= 2
    return rng.choice(["", ""] + ["transposed"] * transposed + ["sliced"] * sliced)


def new_attrs(rng, op, attrs):
    out = dict(attrs)
    for name, value in attrs.items():
        if op in FIXED or name == "return_indices" or rng.random() > 0.2:
            continue
        if isinstance(value, bool):
            out[name] = not value
        elif isinstance(value, int):
            out[name] = rng.choice([value, value + 1, value - 1, -value, 0])
        elif isinstance(value, float):
            out[name] = rng.choice([value, 0.0, 1.0, -value, 0.5, 2.0, INF])
        elif isinstance(value, torch.dtype):
            out[name] = DTYPES[rng.choice(ALL_DTYPES)]
        elif isinstance(value, list) and value and all(type(x) is int for x in value):
            at = rng.randrange(len(value))
            out[name] = [*value[:at], value[at] + rng.choice([1, -1]), *value[at + 1 :]]
    return out


def new_inputs(rng, op, inputs):
    tensors = [item for item in inputs if isinstance(item, Tensor)]
    kind = rng.random()
    common = rng.choice(FLOATS) if kind < 0.75 else rng.choice(ALL_DTYPES)
    keep, wide = kind < 0.3, 0.3 <= kind < 0.5
    reshaped = rng.randrange(len(tensors)) if tensors and rng.random() < 0.25 else None
    out, at = [], 0
    for item in inputs:
        if isinstance(item, Scalar):
            value = rng.choice(NUMBERS) if rng.random() < 0.6 else item.value
            out.append(Scalar(value))
            continue
        places = item.dtype == I64 and op in PLACES
        if keep or item.dtype == BOOL or places and rng.random() < 0.95:
            dtype = item.dtype
        elif wide:
            dtype = F64 if item.dtype in FLOATS else item.dtype
        else:
            dtype = common if rng.random() < 0.85 else rng.choice(ALL_DTYPES)
        shape = new_shape(rng, item.shape) if at == reshaped else item.shape
        data = elements(rng, op, item, dtype, math.prod(shape))
        wants = dtype in FLOATS and (item.requires_grad or item.dtype not in FLOATS) and rng.random() < 0.9
        layout = "" if op == "as_strided" else new_layout(rng, shape)  # it looks at memory itself
        out.append(Tensor(dtype, shape, data, layout, wants))
        at += 1
    return out


def missing_kernel(error):
    text = str(error)
    words = ["not implemented for", "not supported for", "does not support", "could not be found", "_out_frame"]
    return isinstance(error, NotImplementedError) or any(word in text for word in words)


def raised_in_python(error):
    """Whether PyTorch's Python refuses the call before an op sees it: the golden caller stands below it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "torch/" in last.filename and (last.line or "").startswith("raise")


# What says that Python refused the call before PyTorch saw it, or that PyTorch failed inside.
NO_ANSWER = ["INTERNAL ASSERT", "DefaultCPUAllocator", "overload", "invalid combination", "must be Tensor"]


def same(a, b):
    """Whether two answers are one: NaN is NaN, and a last place is nothing."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if not a.is_floating_point():
        return bool((a == b).all())
    if not bool((torch.signbit(a) == torch.signbit(b)).logical_or(a != 0).all()):
        return False
    return torch.allclose(a.double(), b.double(), rtol=2e-2 if a.element_size() == 2 else 1e-4, equal_nan=True)


def answer(function, inputs, attrs, names, grad_of, offset):
    """Results and gradients with every input `offset` elements into its memory."""
    tensors = []
    for item in inputs:
        built = item.build()
        if isinstance(built, torch.Tensor):
            room = torch.zeros(offset + built.numel(), dtype=built.dtype)[offset:].reshape(built.shape)
            room = room.copy_(built.detach())
            built = room.requires_grad_(built.requires_grad)
        tensors.append(built)
    by_name = dict(zip(names, tensors)) if names else {}
    result = function(*([] if names else tensors), **by_name, **attrs)
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    leaves = [x for x in tensors if isinstance(x, torch.Tensor) and x.requires_grad]
    source = outputs[grad_of]
    if source.requires_grad:
        found = torch.autograd.grad(source, leaves, torch.ones_like(source), allow_unused=True)
        outputs += [g for g in found if g is not None]
    return [x.detach() for x in outputs]


def long_answer(function, inputs, attrs):
    """An elementwise result where each element is in a whole vector register and not at the end."""
    tensors = []
    for item in inputs:
        built = item.build()
        if isinstance(built, torch.Tensor):
            built = built.detach().unsqueeze(-1).repeat(*[1] * built.dim(), 64).requires_grad_(built.requires_grad)
        tensors.append(built)
    result = function(*tensors, **attrs)
    leaves = [x for x in tensors if isinstance(x, torch.Tensor) and x.requires_grad]
    outputs = [result]
    if result.requires_grad:
        outputs += [g for g in torch.autograd.grad(result, leaves, torch.ones_like(result)) if g is not None]
    return [x.detach()[..., 0] for x in outputs]


def has_one_answer(function, inputs, attrs, names, grad_of, elementwise):
    first = answer(function, inputs, attrs, names, grad_of, 0)
    second = answer(function, inputs, attrs, names, grad_of, 1)
    if not all(map(same, first, second)):
        return False
    same_shape = len({tuple(item.shape) for item in inputs if isinstance(item, Tensor)}) == 1
    if elementwise and same_shape and not names:
        try:
            return all(map(same, first, long_answer(function, inputs, attrs)))
        except (RuntimeError, IndexError, TypeError, ValueError):
            return True
    return True


def call(rng, op, number, template):
    function, inputs, attrs, names, grad_of, elementwise = template
    inputs, attrs = new_inputs(rng, op, inputs), new_attrs(rng, op, attrs)
    try:
        given = [item.build() for item in inputs]
        by_name = dict(zip(names, given)) if names else {}
        function(*([] if names else given), **by_name, **attrs)
        try:
            made = record.case(op, function, inputs, attrs, str(number), names, grad_of)
            if "grad_error" in made:
                return made if made["grad_error"] == "RuntimeError" else None
            return made if has_one_answer(function, inputs, attrs, names, grad_of, elementwise) else None
        except Exception:
            return None  # No gradient, or no result of that number.
    except Exception as error:
        if raised_in_python(error) or missing_kernel(error) or any(word in str(error) for word in NO_ANSWER):
            return None
        kind = type(error).__name__
        if kind not in ("RuntimeError", "IndexError", "TypeError", "ValueError"):
            return None
        made = {"op": op, "note": str(number)}
        made["inputs"] = [item.json(item.build()) for item in inputs]
        if names:
            made["inputs_names"] = names
        if attrs:
            made["attrs"] = {name: record.attribute(value) for name, value in attrs.items()}
        return made | {"error": kind, "says": str(error).split("\n")[0][:90]}


def is_small(made):
    results = [made["expected"], *made.get("expected_more", [])] if "error" not in made else []
    return sum(len(result["data"]) for result in results) <= MOST


def plain_json(made):
    """Numbers of Python that JSON has no word for."""
    for item in made["inputs"]:
        if "scalar" in item:
            item["scalar"] = record.attribute(item["scalar"])
    return made


def tried(op, found, start):
    """The calls from a number on, in a process of its own, because PyTorch crashes in some: the calls
    that it makes, and where it ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as out:
            for number in range(start, TRIES):
                print(number, file=out, flush=True)
                rng = random.Random(zlib.crc32(f"{op} {number}".encode()))
                made = call(rng, op, number, rng.choice(found))
                if made is not None and is_small(made):
                    print(json.dumps(plain_json(made)), file=out, flush=True)
        os._exit(0)
    os.close(writer)
    number, kept = start, []
    with os.fdopen(reader) as lines:
        for line in lines:
            if line.startswith("{"):
                kept.append(json.loads(line))
            else:
                number = int(line)
    os.waitpid(child, 0)
    return kept, number + 1


def calls(op, found):
    made, start = [], 0
    while start < TRIES:
        more, start = tried(op, found, start)
        made += more
    raised = [one for one in made if "error" in one]
    rest = [one for one in made if "error" not in one]
    return rest[: KEPT - min(len(raised), KEPT // 5)] + raised[: KEPT // 5]


def cases(families):
    """All calls, op by op."""
    found = templates(families)
    for op in sorted(found):
        yield from calls(op, found[op])
