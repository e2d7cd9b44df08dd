"""print.json: how PyTorch prints a tensor.

`source` is the Python expression, `repr` what repr() and print() give; `tensor` holds the elements
so that a harness without Python can build the same; above 4,000 elements `fill` gives the one value
instead. `grad_fn` is the name printed, where there is one.
"""

import torch  # noqa: F401 (the sources name it)

from .record import dtype_name, tensor_of

FLOATS = [
    "torch.tensor([1.0, 2.0, 3.0])",
    "torch.tensor([1.5, 2.25, -3.125])",
    "torch.tensor([0.1, 0.2, 0.3])",
    "torch.tensor([1.0, 2.5, 1000.0])",
    "torch.tensor([0.0, -0.0])",
    "torch.tensor([0.00001, 1.0])",
    "torch.tensor([0.0001, 1.0])",
    "torch.tensor([0.001, 0.5])",
    "torch.tensor([1e-10, 1.0, 1e10])",
    "torch.tensor([1e-5])",
    "torch.tensor([1e-4])",
    "torch.tensor([99999.0])",
    "torch.tensor([99999.5])",
    "torch.tensor([100000.0])",
    "torch.tensor([1e8])",
    "torch.tensor([123456789.0])",
    "torch.tensor([1e8, 1.5])",
    "torch.tensor([1e9, 1.0])",
    "torch.tensor([12345.678, 0.001])",
    "torch.tensor([1000.0, 1.5])",
    "torch.tensor([1001.0, 1.5])",
    "torch.tensor([100000.0, 99.5])",
    "torch.tensor([-1.0, 10.0, -100.0])",
    "torch.tensor([0.99999, 1.0])",
    "torch.tensor([0.999999, 1.0])",
    "torch.tensor([1/3, 2/3])",
    "torch.tensor([3.4e38, 1e-38])",
    "torch.tensor([1e-45])",
    "torch.tensor([2.5, 1e-9])",
    "torch.tensor([16777216.0])",
    "torch.tensor([1.0, float('nan')])",
    "torch.tensor([float('nan'), float('inf'), -float('inf')])",
    "torch.tensor([float('inf'), 1.0])",
    "torch.tensor([float('-inf'), 2.0, 3.0])",
    "torch.tensor([float('inf'), 1.5])",
    "torch.tensor([float('nan'), 1e10, 0.5])",
    "torch.tensor([1.5, 2.5], dtype=torch.float64)",
    "torch.tensor([0.1, 1e-20], dtype=torch.float64)",
    "torch.tensor([1.0, 2.0], dtype=torch.float64)",
    "torch.tensor([1e300], dtype=torch.float64)",
    "torch.tensor([123456.7], dtype=torch.float64)",
]
WHOLE = [
    "torch.tensor([1, 2, 3])",
    "torch.tensor([1, -20, 300])",
    "torch.tensor([0])",
    "torch.tensor([[1, 2], [30, 40]])",
    "torch.tensor([2**62, -1])",
    "torch.tensor([True, False])",
    "torch.tensor([[True], [True]])",
    "torch.tensor([[False, True], [True, False]])",
    "torch.tensor([True, True])",
]
SHAPES = [
    "torch.tensor(3.5)",
    "torch.tensor(3.0)",
    "torch.tensor(1e-7)",
    "torch.tensor(7)",
    "torch.tensor(True)",
    "torch.tensor(float('nan'))",
    "torch.tensor(float('-inf'))",
    "torch.tensor(2.5, dtype=torch.float64)",
    "torch.tensor([])",
    "torch.tensor([], dtype=torch.int64)",
    "torch.zeros(0, 3)",
    "torch.zeros(2, 0)",
    "torch.zeros(2, 0, 3, dtype=torch.float64)",
    "torch.zeros(0, dtype=torch.bool)",
    "torch.ones(2, 3)",
    "torch.ones(1, 1, 1)",
    "torch.arange(6.0).view(2, 3) / 4",
    "torch.arange(24).view(2, 3, 4)",
    "torch.arange(16.0).view(2, 2, 2, 2)",
    "torch.arange(12).view(3, 4).t()",
    "torch.arange(6.0).view(2, 3)[:, 1]",
    "torch.arange(30)",
    "torch.arange(30.0) * 1.5",
    "torch.arange(25) * 1000",
    "torch.arange(40).view(2, 20) * 100",
    "torch.arange(40.0).view(2, 20) / 7",
    "torch.arange(18.0).view(2, 1, 9) - 8.5",
    "torch.arange(1000.0)",
    "torch.arange(1001)",
    "torch.arange(1001.0)",
    "torch.arange(2000.0) / 8",
    "torch.arange(2000).view(40, 50)",
    "torch.arange(2000.0).view(40, 50) * 0.001",
    "torch.arange(3000).view(3, 10, 100)",
    "torch.arange(2400.0).view(2, 1200)",
    "torch.arange(2000.0).view(2, 2, 500)",
    "torch.arange(1200).view(1200, 1)",
    "torch.arange(1800) % 2 == 0",
    "torch.zeros(1001)",
    "torch.zeros(20, 20, 20)",
    "torch.zeros(100, 100)",
    "torch.eye(3)",
    "torch.full((2, 2), 0.125)",
]
GRADIENTS = [
    "torch.tensor([1.0, 2.0], requires_grad=True)",
    "torch.tensor(1.5, requires_grad=True)",
    "torch.zeros(0, 2, requires_grad=True)",
    "torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)",
    "torch.tensor([1.0, 2.0], requires_grad=True) * 2",
    "torch.tensor([1.0, 2.0], requires_grad=True).sum()",
    "torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True).exp()",
    "torch.ones(2, 8, requires_grad=True) / 3",
    "torch.ones(2, 12, requires_grad=True) / 3",
    "torch.ones(9, requires_grad=True) + 0.5",
    "torch.ones(7, requires_grad=True).sigmoid()",
    "torch.ones(1, 6, dtype=torch.float64, requires_grad=True) * 1.25",
    "torch.ones(1100, requires_grad=True) + 1",
    "torch.ones(0, requires_grad=True) + 1",
    "torch.zeros(2, 0, requires_grad=True) + 1",
    "torch.tensor([1.0, 2.0], requires_grad=True).detach()",
]


DTYPES = [
    *(
        f"torch.tensor([1, 20, 100], dtype=torch.{dtype})"
        for dtype in ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32"]
    ),
    "torch.tensor([0, 255], dtype=torch.uint8)",
    "torch.tensor([-128, 127], dtype=torch.int8)",
    "torch.tensor([-32768, 32767], dtype=torch.int16)",
    "torch.tensor([-2**31, 2**31 - 1], dtype=torch.int32)",
    "torch.tensor([2**64 - 1, 0], dtype=torch.uint64)",
    "torch.tensor([2**32 - 1, 7], dtype=torch.uint32)",
    "torch.tensor([65535, 7], dtype=torch.uint16)",
    "torch.tensor(7, dtype=torch.int32)",
    "torch.tensor(7, dtype=torch.uint8)",
    "torch.tensor([], dtype=torch.int32)",
    "torch.zeros(2, 0, dtype=torch.uint8)",
    "torch.arange(12, dtype=torch.int32).view(3, 4)",
    "torch.arange(30, dtype=torch.int16)",
    "torch.ones(1001, dtype=torch.int8)",
    *(
        f"torch.tensor({data}, dtype=torch.{dtype})"
        for dtype in ["float16", "bfloat16"]
        for data in [
            "[1.0, 2.0, 3.0]",
            "[0.1, 0.2, 0.3]",
            "[1.5, -2.25, 100.0]",
            "[1e-4, 1.0]",
            "[1e-7, 0.5]",
            "[65504.0, 1.0]",
            "[1000.0, 0.001]",
            "[float('nan'), float('inf'), 1.5]",
            "[float('-inf'), 2.0]",
            "[0.0, -0.0]",
            "3.140625",
            "[]",
        ]
    ),
    "torch.tensor([1e30, 1.0], dtype=torch.bfloat16)",
    "torch.arange(6, dtype=torch.float16).view(2, 3) / 4",
    "torch.zeros(0, 3, dtype=torch.bfloat16)",
    "torch.arange(1001, dtype=torch.float16)",
    "torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)",
    "torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True) * 2",
    "torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True).sum()",
]


def cases():
    for source in FLOATS + WHOLE + SHAPES + GRADIENTS + DTYPES:
        tensor = eval(source)
        row = {"source": source, "repr": repr(tensor)}
        if tensor.numel() <= 4000:
            row["tensor"] = tensor_of(tensor)
        else:
            row["fill"] = {"dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape), "value": 0.0}
            assert not tensor.any(), source
        if tensor.grad_fn is not None:
            row["grad_fn"] = tensor.grad_fn.name()
        elif tensor.requires_grad:
            row["requires_grad"] = True
        yield row
