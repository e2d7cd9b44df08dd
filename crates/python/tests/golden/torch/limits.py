# What lies under the numbers: storages and the limits of dtypes; compared with PyTorch.
import glowgrad as torch

x = torch.arange(12.0).reshape(3, 4)
for view in (x, x[1:], x.T, x.expand(2, 3, 4), x[0, :1].expand(5)):
    storage = view.untyped_storage()
    print(storage.nbytes(), len(storage), storage.size(), view.nbytes)
    print(storage.data_ptr() == x.untyped_storage().data_ptr())
print(x.clone().untyped_storage().data_ptr() == x.untyped_storage().data_ptr())
print(x.T.contiguous().untyped_storage().nbytes(), x[1:].clone().untyped_storage().nbytes())
print(torch.ones(3, dtype=torch.bool).untyped_storage().nbytes(), torch.ones(3, requires_grad=True).untyped_storage().nbytes())

for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
    limits = torch.finfo(dtype)
    print(limits)
    print(limits.bits, limits.eps, limits.max, limits.min, limits.tiny, limits.smallest_normal, limits.resolution, limits.dtype)
print(torch.finfo().dtype)
for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    print(torch.iinfo(dtype), torch.iinfo(dtype).bits)
for wrong in (lambda: torch.finfo(torch.int32), lambda: torch.iinfo(torch.float32), lambda: torch.iinfo(torch.bool)):
    try:
        wrong()
    except TypeError:
        print("TypeError")

# A note of the tape is one thing, however it was reached.
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x + x
total = y.sum()
add = total.grad_fn.next_functions[0][0]
mul, leaf = add.next_functions[0][0], add.next_functions[1][0]
print(add == y.grad_fn, add != y.grad_fn, mul == add, mul.next_functions[0][0] == leaf, add == None, add == 3)
print(len({add, y.grad_fn, mul, leaf, mul.next_functions[0][0], mul.next_functions[1][0]}), add in {y.grad_fn: 1})

# What a note keeps for the way back.
x, c = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
w = torch.ones(2, 2, requires_grad=True)
print((x * c).grad_fn._saved_self, (x * c).grad_fn._saved_other, (x * x).grad_fn._saved_self, (x / c).grad_fn._saved_other)
print(x.exp().grad_fn._saved_result, (w @ w).grad_fn._saved_mat2, torch.tanh(x).grad_fn._saved_result, x.sin().grad_fn._saved_self)
y = x * c
kept = y.grad_fn
y.sum().backward()
for read in (lambda: kept._saved_other, lambda: (x + c).grad_fn._saved_self, lambda: (x * c).grad_fn._saved_mat2):
    try:
        read()
    except (RuntimeError, AttributeError) as error:
        print(type(error).__name__, str(error)[:90])
y = c * x
c.add_(1)
try:
    y.grad_fn._saved_self
except RuntimeError as error:
    print(str(error)[:70])

# The bytes themselves.
storage = torch.arange(12.0).reshape(3, 4)[1:].untyped_storage()
print(storage.tolist()[:8], storage[7], len(list(storage)), torch.tensor([1.5]).untyped_storage())
