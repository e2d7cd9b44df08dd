"""promotion.json: result dtypes for every pair of kinds of operand.

A kind is a dtype (or a Python number) and whether the tensor has dimensions: a 0-d tensor and a
number give way to a tensor with dimensions of the same category. Same format as the op cases; an
"error" instead of "expected" names the exception type, and "message" is PyTorch's text. The first
floor's four dtypes come first, whole; the other nine follow, tensor by tensor for every pair, and
with 0-d tensors and numbers for a choice of ops.
"""

import operator

import torch

from .record import (
    ALL_DTYPES,
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    FIRST_DTYPES,
    FLOATS,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U64,
    Scalar,
    Tensor,
    case,
)

OPS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "eq": operator.eq,
    "lt": operator.lt,
    "maximum": torch.maximum,
}
VALUES = {BOOL: [True, False], I64: [3, 2], F32: [0.5, 1.5], F64: [0.1, 2.25]}
RIGHT = {BOOL: [True, True], I64: [2, 4], F32: [1.25, 2.0], F64: [0.3, 3.0]}


def operands(values, scalars):
    for dtype in FIRST_DTYPES:
        yield f"{dtype} tensor", Tensor(dtype, [2], values[dtype], requires_grad=False)
        yield f"{dtype} 0-d", Tensor(dtype, [], values[dtype][:1], requires_grad=False)
    for value in scalars:
        yield f"python {type(value).__name__}", Scalar(value)


MORE_OPS = {**OPS, "remainder": operator.mod, "bitwise_and": operator.and_}
# Tensors that meet 0-d tensors and numbers of these kinds.
WITH_DIMENSIONS = [U8, U16, U64, I8, I16, I32, F16, BF16, F32, I64]
WITHOUT = [BOOL, U8, I8, I32, I64, F16, BF16, F64]


def value(dtype, first):
    """Two small numbers that every dtype of the category has."""
    if dtype == BOOL:
        return [True, not first]
    return ([0.5, 1.5] if first else [1.25, 2.0]) if dtype in FLOATS else ([3, 2] if first else [2, 4])


def attempt(op, function, left, right, note):
    try:
        return case(op, function, [left, right], note=note)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        text = str(error).split("\n", maxsplit=1)[0]
        if "not implemented for" in text and op != "bitwise_and":
            return None  # a dtype without a CPU kernel says nothing about promotion
        inputs = [item.json(item.build()) for item in (left, right)]
        return {
            "op": op,
            "note": note,
            "inputs": inputs,
            "error": type(error).__name__,
            "message": text,
        }


def tensor(dtype, first, dimensions=1):
    data = value(dtype, first)
    return Tensor(dtype, [2] if dimensions else [], data if dimensions else data[:1], requires_grad=False)


def all_dtypes():
    for op, function in MORE_OPS.items():
        for left in ALL_DTYPES:
            for right in ALL_DTYPES:
                if {left, right} <= set(FIRST_DTYPES) and op in OPS:
                    continue  # among the first floor's
                note = f"{left} tensor with {right} tensor"
                yield attempt(op, function, tensor(left, True), tensor(right, False), note)
    for op in ["add", "div", "pow", "eq"]:
        for left in WITH_DIMENSIONS:
            for right in WITHOUT:
                if not {left, right} <= set(FIRST_DTYPES):
                    note = f"{left} tensor with {right} 0-d"
                    yield attempt(op, OPS[op], tensor(left, True), tensor(right, False, 0), note)
            for number in [True, 2, 0.3]:
                if left not in FIRST_DTYPES:
                    note = f"{left} tensor with python {type(number).__name__}"
                    yield attempt(op, OPS[op], tensor(left, True), Scalar(number), note)
                    note = f"python {type(number).__name__} with {left} tensor"
                    yield attempt(op, OPS[op], Scalar(number), tensor(left, False), note)


def cases():
    yield from first_floor()
    yield from (row for row in all_dtypes() if row)


def first_floor():
    for op, function in OPS.items():
        for left_note, left in operands(VALUES, [True, 3, 0.1]):
            for right_note, right in operands(RIGHT, [True, 2, 0.3]):
                scalars = isinstance(left, Scalar) + isinstance(right, Scalar)
                if scalars == 2 or (scalars and op == "maximum"):
                    continue
                note = f"{left_note} with {right_note}"
                try:
                    yield case(op, function, [left, right], note=note)
                except RuntimeError:
                    inputs = [item.json(item.build()) for item in (left, right)]
                    yield {"op": op, "note": note, "inputs": inputs, "error": "RuntimeError"}
