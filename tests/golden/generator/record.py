"""Runs an op in PyTorch and writes down inputs, result and gradients as one JSON case.

Invariant: a float is written with the fewest digits that mean it, so reading the number as a double
and rounding to the tensor's dtype gives back the very same bits. NaN and infinities are strings.
The families (elementwise.py and so on) decide what to record; nothing here knows an op's meaning.
"""

import json
import math
import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import torch

F32, F64, I64, BOOL = FIRST_DTYPES = ["float32", "float64", "int64", "bool"]
U8, U16, U32, U64, I8, I16, I32 = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32"]
F16, BF16 = ["float16", "bfloat16"]
ALL_DTYPES = [BOOL, U8, U16, U32, U64, I8, I16, I32, I64, F16, BF16, F32, F64]
DTYPES = {name: getattr(torch, name) for name in ALL_DTYPES}
FLOATS = [F16, BF16, F32, F64]
UNSIGNED = [U8, U16, U32, U64]
SIGNED = [I8, I16, I32, I64]
NAN, INF = math.nan, math.inf


def dtype_name(dtype):
    return str(dtype).removeprefix("torch.")


def plain(value, dtype):
    """One element as a JSON value."""
    if not dtype.is_floating_point:
        return value
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if dtype == torch.float32:
        short = float(str(numpy.float32(value)))
        return short if float(numpy.float32(short)) == value else value
    return value


def data_of(tensor):
    if tensor._is_zerotensor():  # PyTorch keeps no elements for a gradient that is zero all over.
        tensor = torch.zeros(tensor.shape, dtype=tensor.dtype)
    return [plain(value, tensor.dtype) for value in tensor.detach().reshape(-1).tolist()]


def tensor_of(tensor):
    return {"dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape), "data": data_of(tensor)}


@dataclass
class Tensor:
    """An input: elements in row-major order of `shape`, whatever the layout in memory."""

    dtype: str
    shape: list
    data: list
    layout: str = ""
    requires_grad: bool = field(default=None)

    def __post_init__(self):
        if self.requires_grad is None:
            self.requires_grad = self.dtype in FLOATS

    def build(self):
        tensor = torch.tensor(self.data, dtype=DTYPES[self.dtype]).reshape(self.shape)
        if self.layout == "transposed":
            tensor = tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
        elif self.layout == "sliced":
            wide = torch.zeros(*self.shape[:-1], 2 * self.shape[-1], dtype=tensor.dtype)
            wide[..., ::2] = tensor
            tensor = wide[..., ::2]
        assert not self.layout or tensor.numel() == 0 or not tensor.is_contiguous(), self
        return tensor.requires_grad_(self.requires_grad)

    def json(self, tensor):
        out = tensor_of(tensor)
        if self.layout:
            out["layout"] = self.layout
        if self.requires_grad:
            out["requires_grad"] = True
        return out


@dataclass
class Scalar:
    """A Python number where an op also takes one; JSON keeps `2` and `2.0` apart."""

    value: object

    def build(self):
        return self.value

    def json(self, value):
        return {"scalar": value}


class Samples:
    """Numbers for one op. Seeded by the op's name, so that a new op changes no other op's cases."""

    def __init__(self, op):
        self.random = random.Random(op)

    def floats(self, count, low=-3.0, high=3.0):
        return [round(self.random.uniform(low, high), 3) for _ in range(count)]

    def tensor(self, *shape, dtype=F32, low=None, high=None, layout="", requires_grad=None):
        shape = list(shape)
        count = math.prod(shape)
        if dtype == BOOL:
            data = [self.random.random() < 0.5 for _ in range(count)]
        elif dtype not in FLOATS:
            default = 0 if dtype in UNSIGNED else -5
            low, high = (default if low is None else low), (5 if high is None else high)
            data = [self.random.randint(low, high) for _ in range(count)]
        else:
            data = self.floats(count, -3.0 if low is None else low, 3.0 if high is None else high)
        return Tensor(dtype, shape, data, layout, requires_grad)


def vector(data, dtype=F32, **more):
    return Tensor(dtype, [len(data)], data, **more)


def attribute(value):
    """An attribute as JSON has it: infinities and NaN as strings, dtypes by their names."""
    if isinstance(value, float) and not math.isfinite(value):
        return plain(value, torch.float64)
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    return value


def case(op, function, inputs, attrs=None, note="", names=None, grad_of=0, keep_zeros=False):
    """Runs `function(*inputs, **attrs)` and its backward pass, and returns the case.

    With `names` the inputs go to the parameters of these names, where some were left out. The
    gradient flows from the output number `grad_of`. With `keep_zeros` a second gradient that is zero
    all over is written down too.
    """
    tensors = [item.build() for item in inputs]
    out = {"op": op, "note": note, "inputs": [item.json(built) for item, built in zip(inputs, tensors)]}
    if names:
        out["inputs_names"] = names
    if attrs:
        out["attrs"] = {name: attribute(value) for name, value in attrs.items()}
    by_name = dict(zip(names, tensors)) if names else {}
    result = function(*([] if names else tensors), **by_name, **(attrs or {}))
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    out["expected"] = tensor_of(outputs[0])
    if outputs[1:]:
        out["expected_more"] = [tensor_of(other) for other in outputs[1:]]
    if grad_of:
        out["grad_of"] = grad_of
    source = outputs[grad_of]
    leaves = [built for built in tensors if isinstance(built, torch.Tensor) and built.requires_grad]
    if source.requires_grad:
        upstream = Samples(f"{op} {note}").floats(source.numel(), -2.0, 2.0)
        upstream = torch.tensor(upstream, dtype=source.dtype).reshape(source.shape)
        twice = is_second_order_case(note, source, tensors)
        try:
            found = torch.autograd.grad(source, leaves, upstream, allow_unused=True, retain_graph=twice)
        except (RuntimeError, NotImplementedError) as error:
            if not has_no_derivative(error):
                raise
            return out | {"grad_error": type(error).__name__}
        out["grad_output"] = data_of(upstream)
        out["grads"] = per_input(tensors, leaves, found)
        if twice:
            # Again as a graph: PyTorch computes some gradients by other steps then.
            found = torch.autograd.grad(source, leaves, upstream, allow_unused=True, create_graph=True)
            out |= second(op, note, tensors, leaves, found, keep_zeros)
    return out


def has_no_derivative(error):
    text = str(error)
    return "derivative for" in text or "is not differentiable" in text or "not implemented" in text


def per_input(tensors, leaves, found):
    """Gradients of the leaves as a list with one entry per input: flat data, or None."""
    by_leaf = dict(zip(map(id, leaves), found))
    gradients = [by_leaf.get(id(built)) for built in tensors]
    return [None if gradient is None else data_of(gradient) for gradient in gradients]


def is_second_order_case(note, source, tensors):
    """Cases called float64 are differentiated twice where nothing in them is an edge."""
    floats = [built for built in tensors if isinstance(built, torch.Tensor) and built.is_floating_point()]
    small = source.numel() <= 24 and all(built.numel() <= 24 for built in floats)
    finite = all(bool(built.isfinite().all()) for built in floats)
    return "float64" in note and "edges" not in note and source.dtype == torch.float64 and small and finite


def second(op, note, tensors, leaves, found, keep_zeros):
    """The gradient of sum(gradient * v) with `v` at random; nothing where it is zero all over, unless asked."""
    samples = Samples(f"{op} {note} second")
    v = [None if g is None else torch.tensor(samples.floats(g.numel(), -2.0, 2.0)) for g in found]
    v = [None if one is None else one.to(g.dtype).reshape(g.shape) for one, g in zip(v, found)]
    bend = sum(((one * g).sum() for one, g in zip(v, found) if g is not None), torch.zeros(()))
    if not bend.requires_grad:
        return {}
    try:
        again = torch.autograd.grad(bend, leaves, allow_unused=True)
    except (RuntimeError, NotImplementedError) as error:
        if not has_no_derivative(error):
            raise
        return {}
    if not keep_zeros and not any(g is not None and bool(g.any()) for g in again):
        return {}
    return {"grad2_v": per_input(tensors, leaves, v), "grad2": per_input(tensors, leaves, again)}


def rows(op, function, table, attrs=None):
    """Cases of one op from lines of (note, inputs, attrs); an only input needs no list."""
    for note, inputs, *own in table:
        inputs = inputs if isinstance(inputs, list) else [inputs]
        yield case(op, function, inputs, {**(attrs or {}), **(own[0] if own else {})}, note)


def possible(maker):
    """The case that `maker()` makes, or None where PyTorch has no CPU kernel for it."""
    try:
        return maker()
    except (NotImplementedError, RuntimeError) as error:
        if any(words in str(error) for words in ["not implemented", "not supported", "does not support"]):
            return None
        raise


def write(path: Path, cases, **head):
    rows = ",\n".join(
        json.dumps(row, separators=(",", ":"), ensure_ascii=False, allow_nan=False) for row in cases
    )
    top = json.dumps({"torch": torch.__version__.split("+")[0], **head})[:-1]
    path.write_text(f'{top}, "cases": [\n{rows}\n]}}\n')
