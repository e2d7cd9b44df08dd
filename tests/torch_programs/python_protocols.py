import torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(len(x), x.shape, x.size(), x.size(1), x.ndim, x.dim(), x.numel(), x.dtype, x.device)
print(x.shape == (2, 3), x.shape[0], list(x.shape), x.shape[1:])
for row in x:
    print(row)
a, b = x
print(b)
print(x[1, 2].item(), float(x[0, 0]), int(x[1, 0]), bool(x[0, 0]), x.tolist())
print(f"{x[0, 1]:.2f}", f"{x[0, 1]}", "{}".format(x[1]))
print(3 in torch.tensor([1, 2, 3]), 7 in torch.tensor([1, 2, 3]))
print([10, 20, 30][torch.tensor(1)])
print(2 + x[0], 2 - x[0], 2 / x[0], 2 * x[0], 2 ** x[0], -x[0], abs(-x[0]))
print(x[0] == 2, x[0] != x[1], x[0] >= 2, 2 < x[0])
print(x[0] // 2, x[0] % 2, 7 // torch.tensor([2, -2]), torch.tensor([7, -7]) % 4)
print(
    torch.tensor([True, False]) & torch.tensor([True, True]),
    ~torch.tensor([True, False]),
    torch.tensor([1, 2]) | 4,
)
print(x.T, x @ x.T)
print(
    torch.tensor(3).dtype,
    torch.tensor(3.0).dtype,
    torch.tensor(True).dtype,
    torch.tensor([1, 2.0]).dtype,
    torch.tensor([]).dtype,
)
print(
    torch.zeros(2, 2),
    torch.ones(2, dtype=torch.int64),
    torch.full((2,), 7),
    torch.full((2,), 7.5),
    torch.eye(2),
)
print(torch.arange(5), torch.arange(1, 2, 0.25), torch.arange(5.0), torch.linspace(0, 1, 5))
print(torch.zeros_like(x), torch.ones_like(x[0]))
print(x.max(), x.min(dim=0).values, x.argmax(), x.sum(), x.mean(dim=1), x.std())
print(torch.equal(x, x.clone()), torch.allclose(x, x + 1e-9), (x == x).all())
print(x is x.clone(), hash(x) == hash(x), x[0] is x[0])
print(isinstance(x, torch.Tensor), type(x).__name__)
print(x.float() is x, x.double().dtype, x.long().dtype, x.bool().dtype)
total = 0
for value in torch.arange(4):
    total += value
print(total)
print(max(torch.tensor([3, 1, 2])), sum(torch.tensor([3, 1, 2])), sorted(torch.tensor([3, 1, 2])))
