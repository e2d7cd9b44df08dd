"""Arrays and tensors: shared memory, conversions, mixed calculations."""
import numpy as np
import torch


def attempt(f):
    try:
        r = f()
        print(type(r).__name__, repr(r))
    except Exception as e:
        print(type(e).__name__, "|", e)


a = np.zeros(3)
t = torch.from_numpy(a)
t += 1
print(a, t.dtype)
a[0] = 7
print(t)
t.requires_grad_()
print(a + 1)
x = torch.arange(6.0).reshape(2, 3)
n = x.numpy()
n[0, 0] = 100
x[1] = -1
n.T[2, 0] = 50
print(x, n, n.dtype, np.asarray(x) is x, np.shares_memory(n, x.numpy()))
copy = torch.tensor(n)
copy[0] = 0
same = torch.as_tensor(n)
same[1, 1] = 3
print(n, np.array(x).base is None, torch.tensor(n[::-1].copy()).shape, torch.from_numpy(np.ascontiguousarray(n.T)).stride())
for f in (
    lambda: torch.tensor(np.array([1, 2])), lambda: torch.tensor(np.float32(1.5)), lambda: torch.tensor(np.float64(1.5)), lambda: torch.tensor(np.int64(2)), lambda: torch.tensor([np.float64(1.5)]), lambda: torch.tensor([np.float32(1.5), np.float32(2)]), lambda: torch.tensor(np.array([[True, False]])), lambda: torch.tensor([np.array([1.0, 2.0]), np.array([3.0, 4.0])]),
    lambda: torch.tensor(np.array([1, 2], dtype=np.uint8), dtype=torch.float32), lambda: torch.as_tensor(np.arange(3), dtype=torch.float32), lambda: torch.Tensor(np.arange(3)), lambda: torch.FloatTensor(np.arange(3.0)), lambda: torch.from_numpy(np.array(3.0)), lambda: torch.from_numpy(np.float32([1, 2])), lambda: torch.from_numpy([1]), lambda: torch.from_numpy(np.arange(3, dtype=np.int32)),
    lambda: torch.ones(2) + np.ones(2), lambda: torch.ones(2) * np.array([1.0, 2.0], dtype=np.float32), lambda: np.float64(2) * torch.ones(2), lambda: torch.ones(2) * np.float64(2), lambda: np.float32(2) * torch.ones(2, dtype=torch.int64), lambda: torch.ones(2) ** np.float64(2), lambda: np.int64(2) - torch.ones(2), lambda: torch.ones(2) < np.float64(2), lambda: torch.ones(2) == np.ones(2),
    lambda: np.exp(torch.ones(2)), lambda: np.add(torch.ones(2), 1), lambda: np.sqrt(torch.tensor(4.0)), lambda: np.maximum(torch.ones(2), np.ones(2)), lambda: np.round(torch.tensor([1.234]), 1), lambda: np.concatenate([torch.ones(2), np.ones(1)]), lambda: np.array([torch.tensor(1.0), torch.tensor(2.0)]), lambda: np.array(torch.ones(2)), lambda: np.stack([torch.ones(2), torch.ones(2)]), lambda: np.where(torch.tensor([True, False]), 1, 0), lambda: np.allclose(torch.tensor([1.0]), np.array([1.0])), lambda: np.dot(torch.ones(2), np.ones(2)),
    lambda: torch.arange(5)[np.array([0, 2])], lambda: torch.arange(5)[np.int64(2)], lambda: torch.arange(5)[np.arange(5) > 2], lambda: torch.arange(6).reshape(2, 3)[np.array([1]), 1], lambda: torch.arange(5)[[np.int64(1), 2]], lambda: np.arange(5)[torch.tensor([0, 2])], lambda: np.arange(5)[torch.tensor(2)], lambda: np.arange(5)[torch.arange(5) > 3], lambda: torch.zeros(np.int64(2)), lambda: torch.full((2,), np.float64(3)), lambda: torch.arange(np.int64(3)), lambda: torch.where(torch.tensor([True]), np.float64(1), 0),
    lambda: torch.ones(2, requires_grad=True).numpy(), lambda: np.asarray(torch.ones(2, requires_grad=True)), lambda: torch.ones(2, requires_grad=True).detach().numpy(), lambda: torch.ones(2, dtype=torch.bfloat16).numpy(), lambda: torch.ones(2, requires_grad=True).numpy(force=True), lambda: torch.tensor(2.5).numpy(), lambda: torch.tensor([True]).numpy(), lambda: torch.tensor(3).item() + np.float64(1),
):
    attempt(f)
y = torch.zeros(3)
y[np.array([0, 2])] = 5
y[np.arange(3) == 1] = -1
y[0] = np.float64(2)
b = np.zeros(3)
b[:] = torch.ones(3)
b += torch.ones(3).numpy()
print(y, b)
rng = np.random.RandomState(0)
X = rng.randn(20, 3).astype(np.float32)
w = np.array([1.0, -2.0, 0.5], dtype=np.float32)
target = X @ w
model = torch.nn.Linear(3, 1)
with torch.no_grad():
    model.weight.copy_(torch.zeros(1, 3))
    model.bias.zero_()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(200):
    optimizer.zero_grad()
    loss = ((model(torch.from_numpy(X)).squeeze(1) - torch.from_numpy(target)) ** 2).mean()
    loss.backward()
    optimizer.step()
losses = [loss.item()]
print(model.weight.detach().numpy().round(3), np.round(losses, 4), np.mean(losses) < 1e-3, type(np.mean(losses)).__name__)
data = torch.utils.data.TensorDataset(torch.from_numpy(X), torch.from_numpy(target))
print(len(data), data[0][1].numpy().round(3), torch.from_numpy(X).mean(0).numpy().shape, np.array(losses).shape, np.array([p.detach().numpy().sum() for p in model.parameters()]).shape)
