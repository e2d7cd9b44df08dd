import torch

# The same bytes, read as another dtype: no copy, and a write through one is a write to both.
x = torch.tensor([1.0, 2.0, -0.0, float("inf")])
bits = x.view(torch.int32)
print(bits, bits.data_ptr() == x.data_ptr(), bits.shape, bits.stride())
bits[0] = 5
print(x)
x.mul_(2)
print(bits)
bits.bitwise_xor_(torch.tensor(-2147483648, dtype=torch.int32))
print(x, x.view(dtype=torch.int32)[1].item())
print(x.view(torch.float64).shape, x.view(torch.int16).shape, x.view(torch.uint8)[:8])
y = torch.arange(6.0).reshape(2, 3)
print(y.view(torch.int8).shape, y.view(torch.int16).stride(), y[1:].view(torch.int32))
print(torch.tensor(1.0).view(torch.int32), torch.ones(0, 4).view(torch.float64).shape)
print(torch.ones(2, 4)[:, :2].view(torch.float64).stride(), y.t().view(torch.int32).stride())
print(torch.ones(2, 2).expand(3, 2, 2).view(torch.float64).stride())
print(torch.tensor([0, 1, 2], dtype=torch.uint8).view(torch.bool))
print(torch.tensor([1.5, -2.0], dtype=torch.bfloat16).view(torch.int16), x.view(torch.float32).shape)
halves = x[:3].view(torch.int16)
halves[0] = 7
halves.view(torch.int32)[2] = 0
print(x, halves.view(torch.int32))
for wrong in (
    lambda: y.view(torch.float64),
    lambda: y.t().view(torch.int8),
    lambda: torch.tensor(1.0).view(torch.int16),
    lambda: x[1:3].view(torch.float64),
    lambda: torch.ones(2, 3)[:, :2].view(torch.float64),
):
    try:
        wrong()
    except RuntimeError as error:
        print(str(error).split(";")[0])

# Bits have no slope.
w = torch.ones(4, requires_grad=True)
u = w.view(torch.int32)
print(u.requires_grad, u.grad_fn, (w * 2).view(torch.float64).requires_grad)

# From bytes.
print(torch.frombuffer(bytearray(b"abcde"), dtype=torch.uint8, count=2, offset=1))
print(torch.frombuffer(bytearray(b"\x00\x00\x80\x3f\x00\x00\x00\x40"), dtype=torch.float32))
for wrong in (
    lambda: torch.frombuffer(bytearray(b""), dtype=torch.float32),
    lambda: torch.frombuffer(bytearray(b"abc"), dtype=torch.float32),
    lambda: torch.frombuffer(bytearray(b"abcde"), dtype=torch.uint8, count=9),
    lambda: torch.frombuffer(bytearray(b"abcde"), dtype=torch.uint8, offset=5),
    lambda: torch.frombuffer(bytearray(b"abcde"), dtype=torch.int16, count=0),
    lambda: torch.frombuffer("abc", dtype=torch.uint8),
):
    try:
        wrong()
    except ValueError as error:
        print("ValueError", str(error)[:50].strip())

# Arrays.
a = torch.tensor([[1.0, 2.5], [0.1, -3.0]]).numpy()
print(a, repr(a), a.shape, a.dtype, a.strides, a.nbytes, a.ndim, a.size)
a[0, 1] = 7
t = torch.from_numpy(a)
t[1, 1] = 8
print(a.T, float(a.sum()), a.max(axis=0), a.tolist(), len(a), a[1])
print(repr(torch.arange(5).numpy()), torch.arange(5).numpy()[::2])
print(repr((torch.arange(4).numpy() * 2 + 1) % 3), repr(torch.arange(3).numpy() > 1))
for values in (
    [1e10, 1.5], [1e-5, 1.0], [1 / 3, 2 / 3, 100.0], [float("nan"), 1.0, float("-inf")], [0.0, -0.0],
    [123456.789, 0.001], [3.3333333, 2.0],
):
    for dtype in (torch.float32, torch.float64, torch.float16):
        print(repr(torch.tensor(values, dtype=dtype).numpy()))
print(repr(torch.ones(0, 3).numpy()), repr(torch.ones(0).numpy()), repr(torch.tensor([True, False]).numpy()))
print(torch.arange(2000).numpy())
print(repr(torch.arange(24).reshape(2, 3, 4).numpy()))
print(torch.arange(30).to(torch.float32).numpy())
print(repr(torch.arange(40, dtype=torch.int16).numpy()))
print(torch.tensor(t.numpy()).dtype, torch.as_tensor(a).shape, a.tobytes()[:4], a.astype("int32"))
try:
    w.numpy()
except RuntimeError as error:
    print(str(error)[:45])

# Another shape, for the very tensor.
z = torch.zeros(1, 2, 3)
print(z.squeeze_().shape, z.t_().shape, z.unsqueeze_(0).shape, z.transpose_(0, 2).shape, z.shape)
print(torch.arange(4).cumsum_(0), torch.arange(1, 5).cumprod_(0))
try:
    torch.zeros(2, 3, requires_grad=True).t_()
except RuntimeError as error:
    print(error)
