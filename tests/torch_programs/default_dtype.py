"""Another default dtype: tensors of Python's floats, layers, and ops that make floats of integers."""
import warnings

import torch
import torch.nn as nn

warnings.simplefilter("ignore")


def refused(name, call):
    try:
        print(name, "was taken:", call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def what_is_made():
    torch.manual_seed(0)
    print(torch.get_default_dtype(), torch.tensor([1.0, 0.1]), torch.tensor([1, 2]), torch.tensor(True), torch.tensor([1, 2.5]), torch.tensor([]), torch.tensor(0.5))
    print(torch.linspace(0, 1, 3), torch.eye(2), torch.arange(3.0), torch.arange(3), torch.arange(0, 1, 0.5), torch.ones(2), torch.zeros(2, 1), torch.logspace(0, 1, 2), torch.full((2,), 0.1), torch.full((1,), 2))
    print(torch.rand(2).dtype, torch.randn(2).dtype, torch.empty(1).dtype, torch.normal(0.0, 1.0, (1,)).dtype, torch.Tensor([1]).dtype, torch.Tensor(2, 3).dtype, torch.FloatTensor([1]).dtype, torch.scalar_tensor(1), torch.hann_window(3).dtype, torch.range(0, 2).dtype)
    print(torch.zeros_like(torch.tensor([1.0])).dtype, torch.ones(1).new_tensor([2.0]).dtype, torch.tensor([1.0], dtype=torch.float32), torch.tensor([[0.1, 0.2], [0.3, 0.4]], requires_grad=True), torch.tensor(torch.tensor([1.0], dtype=torch.float32)).dtype, torch.as_tensor([0.5]).dtype)
    whole = torch.tensor([1, 2, 3])
    print(whole / 2, whole * 1.5, 1 / whole, whole + 0.1, 2.0 - whole, whole ** 0.5, 2.0 ** whole, whole // 2, whole % 2, torch.sqrt(whole), whole.sin(), torch.exp(whole).dtype, whole.log().dtype, torch.sigmoid(whole).dtype)
    print(torch.true_divide(whole, 3).dtype, torch.add(whole, 0.5).dtype, torch.mul(whole, 2).dtype, torch.atan2(whole, whole).dtype, whole.float().dtype, whole.double().dtype, torch.result_type(1, 1.0), torch.result_type(whole, 1.0), (whole > 1.5).dtype, torch.sinc(whole).dtype, torch.std(torch.tensor([1.0, 2.0])).dtype)
    layer = nn.Linear(3, 2)
    print(layer.weight.dtype, layer(torch.randn(1, 3)).dtype, [p.dtype for p in nn.Sequential(nn.Conv1d(1, 1, 2), nn.LayerNorm(2), nn.Embedding(2, 2), nn.GRU(2, 2)).parameters()][::3], nn.BatchNorm1d(2).running_mean.dtype)
    loss = nn.MSELoss()(layer(torch.ones(4, 3)), torch.zeros(4, 2))
    loss.backward()
    print(loss.dtype, layer.weight.grad.dtype, layer.weight.grad.shape)


for dtype in (torch.float64, torch.bfloat16, torch.float32):
    torch.set_default_dtype(dtype)
    what_is_made()
torch.set_default_tensor_type(torch.DoubleTensor)
print(torch.get_default_dtype())
torch.set_default_tensor_type("torch.FloatTensor")
print(torch.get_default_dtype(), torch.tensor([0.5]) / torch.tensor([3]))
refused("integers", lambda: torch.set_default_dtype(torch.int64))
refused("a number", lambda: torch.set_default_dtype(3))
refused("a type of integers", lambda: torch.set_default_tensor_type(torch.LongTensor))

# The same numbers to sixteen digits.
torch.set_default_dtype(torch.float64)
torch.manual_seed(3)
w, points = torch.randn(3, requires_grad=True), torch.linspace(0, 1, 5)
(torch.stack([points ** k for k in range(3)], 1) @ w - points.sin()).square().sum().backward()
print(torch.rand(2), w, w.grad, (torch.arange(10) / 10)[3].item())
torch.set_default_dtype(torch.float32)
print(torch.tensor([0.1]), torch.arange(2) / 3)
