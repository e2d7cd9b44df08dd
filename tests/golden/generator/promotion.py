"""promotion.json: result dtypes for every pair of kinds of operand.

A kind is a dtype (or a Python number) and whether the tensor has dimensions: a 0-d tensor and a
number give way to a tensor with dimensions of the same category. Same format as the op cases; an
"error" instead of "expected" names the exception type.
"""

import operator

import torch

from .record import BOOL, F32, F64, FIRST_DTYPES, I64, Scalar, Tensor, case

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


def cases():
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
