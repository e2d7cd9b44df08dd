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

DTYPES = {"float32": torch.float32, "float64": torch.float64, "int64": torch.int64, "bool": torch.bool}
F32, F64, I64, BOOL = DTYPES
NAN, INF = math.nan, math.inf


def dtype_name(dtype):
    return str(dtype).removeprefix("torch.")


def plain(value, dtype):
    """One element as a JSON value."""
    if dtype in (torch.bool, torch.int64):
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
            self.requires_grad = self.dtype in (F32, F64)

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
        elif dtype == I64:
            low, high = (-5 if low is None else low), (5 if high is None else high)
            data = [self.random.randint(low, high) for _ in range(count)]
        else:
            data = self.floats(count, -3.0 if low is None else low, 3.0 if high is None else high)
        return Tensor(dtype, shape, data, layout, requires_grad)


def vector(data, dtype=F32, **more):
    return Tensor(dtype, [len(data)], data, **more)


def case(op, function, inputs, attrs=None, note=""):
    """Runs `function(*inputs, **attrs)` and its backward pass, and returns the case."""
    tensors = [item.build() for item in inputs]
    out = {"op": op, "note": note, "inputs": [item.json(built) for item, built in zip(inputs, tensors)]}
    if attrs:
        out["attrs"] = attrs
    result = function(*tensors, **(attrs or {}))
    first, *others = result if isinstance(result, (tuple, list)) else [result]
    out["expected"] = tensor_of(first)
    if others:
        out["expected_more"] = [tensor_of(other) for other in others]
    leaves = [built for built in tensors if isinstance(built, torch.Tensor) and built.requires_grad]
    if first.requires_grad:
        upstream = Samples(f"{op} {note}").floats(first.numel(), -2.0, 2.0)
        upstream = torch.tensor(upstream, dtype=first.dtype).reshape(first.shape)
        found = torch.autograd.grad(first, leaves, upstream, allow_unused=True)
        by_leaf = dict(zip(map(id, leaves), found))
        gradients = [by_leaf.get(id(built)) for built in tensors]
        out["grad_output"] = data_of(upstream)
        out["grads"] = [None if gradient is None else data_of(gradient) for gradient in gradients]
    return out


def write(path: Path, cases, **head):
    rows = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in cases)
    top = json.dumps({"torch": torch.__version__.split("+")[0], **head})[:-1]
    path.write_text(f'{top}, "cases": [\n{rows}\n]}}\n')
