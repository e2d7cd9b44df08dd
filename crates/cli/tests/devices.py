"""Devices as PyTorch has them, on the GPU that wgpu has."""

import glowgrad as torch
from glowgrad import nn

DEVICE = "wgpu"


def refused(call, kind, text):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"expected {kind.__name__}: {text}")


# Names, and where tensors are.
assert torch.device("webgpu").type == DEVICE
assert str(torch.device(DEVICE)) == DEVICE and repr(torch.device(DEVICE, 0)) == f"device(type='{DEVICE}', index=0)"
x = torch.tensor([1.0, 2.0], device=DEVICE)
assert x.device == torch.device(DEVICE, 0) and x.cpu().device == torch.device("cpu")
assert x.is_cpu is False and x.cpu().is_cpu and not x.is_cuda
assert repr(x) == f"tensor([1., 2.], device='{DEVICE}:0')", repr(x)
assert x.to(DEVICE) is x and x.to("cpu").to(DEVICE).tolist() == [1.0, 2.0]
assert x.to(torch.float64).device == x.device and x.to("cpu", torch.int64).dtype == torch.int64
assert x.to(torch.zeros(1, dtype=torch.float16)).device.type == "cpu"

# What makes tensors takes a device; what is like a tensor takes its device.
for made in (
    torch.zeros(2, device=DEVICE), torch.ones(2, device=DEVICE), torch.full((2,), 3.0, device=DEVICE),
    torch.arange(2, device=DEVICE), torch.eye(2, device=DEVICE), torch.rand(2, device=DEVICE),
    torch.randn(2, device=DEVICE), torch.randint(0, 3, (2,), device=DEVICE), torch.zeros_like(x),
    torch.rand_like(x), x.new_zeros(3), x.new_tensor([1.0]), torch.tensor(x), torch.bernoulli(x * 0.5),
    torch.as_tensor([1.0], device=DEVICE), x[0], x.sum(), x.softmax(0), torch.stack([x, x]),
):
    assert made.device.type == DEVICE, made
assert torch.zeros_like(x, device="cpu").device.type == "cpu"
torch.manual_seed(3)
here = torch.randn(4)
torch.manual_seed(3)
assert torch.randn(4, device=DEVICE).tolist() == here.tolist()

# Dropout draws where its input is, and what the CPU draws.
torch.manual_seed(3)
kept = nn.functional.dropout(torch.ones(100), 0.3)
torch.manual_seed(3)
assert nn.functional.dropout(torch.ones(100, device=DEVICE), 0.3).tolist() == kept.tolist()

# A number is spread out where it is written.
filled = torch.zeros(2, 3, device=DEVICE)
filled[:, 1] = 2.5
assert filled.tolist() == [[0.0, 2.5, 0.0]] * 2 and filled.device.type == DEVICE

# Several devices do not meet, but for single numbers of the CPU.
refused(lambda: x + torch.ones(2), RuntimeError, f"at least two devices, {DEVICE} and cpu!")
refused(lambda: torch.ones(2) @ x, RuntimeError, "at least two devices")
assert (x + torch.tensor(1.0)).tolist() == [2.0, 3.0] and (x * 2 + 1).tolist() == [3.0, 5.0]
refused(lambda: torch.zeros(2, device="abacus"), RuntimeError, 'got "abacus"')
refused(lambda: torch.ones(1, device=torch.device(DEVICE, 3)), RuntimeError, "there is one of each kind")
refused(lambda: torch.device(3.5), TypeError, "must be str")

# Where tensors are made, for a while and from now on.
with torch.device(DEVICE):
    assert torch.ones(1).device.type == DEVICE
assert torch.ones(1).device.type == "cpu" and torch.get_default_device() == torch.device("cpu")
torch.set_default_device(DEVICE)
assert torch.ones(1).device.type == DEVICE and repr(torch.ones(1)) == "tensor([1.])"
torch.set_default_device("cpu")

# What a function makes for itself (indices, constants) is where its operand is, wherever tensors are made now.
for default, where in ((DEVICE, "cpu"), ("cpu", DEVICE)):
    few = torch.tensor([0.0, 3.0, 3.0, 1.0], device=where)
    square = torch.tensor([[2.0, 1.0], [1.0, 3.0]], device=where)
    torch.set_default_device(default)
    for made, numbers in (
        (few[few > 2], [3.0, 3.0]), (few[[0, 3]], [0.0, 1.0]), (few.masked_select(few < 2), [0.0, 1.0]),
        (few.nonzero().flatten(), [1, 2, 3]), (torch.argwhere(few == 1), [[3]]), (few.unique(), [0.0, 1.0, 3.0]),
        (torch.where(few > 2)[0], [1, 2]), (few.unique_consecutive(), [0.0, 3.0, 1.0]), (few.quantile(0.5), 2.0),
        (torch.repeat_interleave(few, few.long())[:2], [3.0, 3.0]), (few.masked_scatter(few > 2, few + 5), [0.0, 5.0, 8.0, 1.0]),
        (torch.combinations(few)[0], [0.0, 3.0]), (torch.vander(few[1:3], 2), [[3.0, 1.0], [3.0, 1.0]]),
        (torch.linalg.lu_solve(*torch.linalg.lu_factor(square), square).round(), [[1.0, 0.0], [0.0, 1.0]]),
        (torch.linalg.ldl_solve(*torch.linalg.ldl_factor(square), square).round(), [[1.0, 0.0], [0.0, 1.0]]),
    ):
        assert made.device.type == where and made.tolist() == numbers, (default, where, made, numbers)
    few[[0, 1]] = [7.0, 8.0]
    few[few == 8] = 9.0
    assert few.tolist() == [7.0, 9.0, 3.0, 1.0], few
    padded = torch.tensor([[1, 2], [3, 0]])
    packed = nn.utils.rnn.pack_padded_sequence(padded, [2, 1], batch_first=True)
    assert packed.data.device.type == default and packed.batch_sizes.device.type == "cpu"
    assert nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)[0].tolist() == padded.tolist()
torch.set_default_device("cpu")

# Modules move with their parameters, gradients and buffers; what an optimiser holds stays the same.
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2))
parameters = list(model.parameters())
assert model.to(DEVICE) is model
assert all(a is b for a, b in zip(parameters, model.parameters()))
assert all(t.device.type == DEVICE for t in model.state_dict().values())
assert nn.Linear(2, 2, device=DEVICE).weight.device.type == DEVICE
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
inputs, targets = torch.randn(16, 4).to(DEVICE), torch.randint(0, 2, (16,)).to(DEVICE)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0], losses
assert all(p.grad.device.type == DEVICE for p in model.parameters())
model.cpu()
assert all(p.device.type == "cpu" and p.grad.device.type == "cpu" for p in model.parameters())
model(inputs.cpu()).sum().backward()

# The gradient goes back to where each tensor is.
w = torch.tensor([0.5, -0.25], requires_grad=True)
(w.to(DEVICE) * x).sum().backward()
assert w.grad.device.type == "cpu" and w.grad.tolist() == [1.0, 2.0]
def assign():
    w.grad = x
refused(assign, RuntimeError, "located on a different device")
w.data.copy_(x)
assert w.device.type == "cpu" and w.tolist() == [1.0, 2.0]
print("devices hold")
