# Tensors: making, printing, operators, reductions, shapes, indexing; compared with PyTorch.
# Tensors, printing and errors, as PyTorch has them (../make.sh).
import glowgrad as torch

torch.manual_seed(0)
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print(x, x.shape, x.dtype, x.ndim, x.numel(), x.is_leaf, x.requires_grad, x.device)
print(torch.tensor(5), torch.tensor(2.5), torch.tensor([True, False]), torch.tensor([[1, 2], [3, 4]]))
print(torch.tensor([1, 2.5]), torch.tensor([[1], [2]], dtype=torch.float64), torch.tensor([1.9, -1.9]).long())
print(torch.zeros(2, 3), torch.ones((2,), dtype=torch.int64), torch.full((2, 2), 7), torch.full((2,), 0.5), torch.eye(2))
print(torch.arange(5), torch.arange(1, 2, 0.25), torch.arange(5, 0, -2), torch.linspace(0, 1, 5), torch.linspace(-1, 1, 4))
print(torch.zeros_like(x), torch.ones_like(x, dtype=torch.int64), torch.full_like(x, 3.5), torch.empty(0), torch.zeros(2, 0, 3))

# printing
print(torch.tensor([1e-5, 1.0]), torch.tensor([1e9, 1.0]), torch.tensor([0.001, 100.0]), torch.tensor([123456.0, 0.5]))
print(torch.tensor([float("nan"), float("inf"), -float("inf"), 1.5]), torch.tensor([float("inf"), 2.0]), torch.tensor(float("nan")))
print(torch.tensor([1000000.0, 2.0]), torch.tensor([1e8 + 8]), torch.tensor([1e10]), torch.tensor([0.0, -0.0]))
print(torch.arange(1001), torch.arange(1000.0).reshape(10, 100))
print(torch.arange(24).reshape(2, 3, 4), torch.zeros(1, 1, 1))
print(torch.rand(3, 7), torch.randn(2, 12))
print(torch.tensor([[1.5, -2.25], [1000.5, 3.0]], dtype=torch.float64, requires_grad=True))
print(torch.ones(30, requires_grad=True) * 2, torch.ones(20, dtype=torch.float64))
print(f"{torch.tensor(1.23456):.3f}", f"{torch.tensor(7)}", str(torch.tensor([1])), repr(torch.Size([2, 3])), torch.Size([2]))
print(torch.float32, torch.int64, torch.bool, torch.float, torch.long, torch.double, [torch.float32])

# operators
a, b = torch.tensor([1.0, -2.0, 3.5]), torch.tensor([2.0, 0.5, -1.0])
print(a + b, a - b, a * b, a / b, a // b, a % b, a ** 2, a @ b, -a, +a, abs(a))
print(1 + a, 1 - a, 2 * a, 1 / a, 2 ** b, 7 // b, 7 % b)
print(a > b, a >= 1, a < 0, a <= b, a == a, a != b, a == None)
i, j = torch.tensor([7, -7, 3]), torch.tensor([2, 2, -2])
print(i + j, i / j, i // j, i % j, i * 2, i * 2.0, i + True, (i > 0) & (j > 0), (i > 0) | (j > 0), ~(i > 0), (i > 0) ^ (j > 0))
print((i + a).dtype, (i + 1.0).dtype, (a + torch.tensor(1.0, dtype=torch.float64)).dtype, (torch.tensor([True]) + 1).dtype, (torch.tensor([True]) + 1.5).dtype)
a += 1; a *= 2; a -= b; a /= 2
print(a, a.add_(1), a.mul(b).sub(1).neg(), a.clamp(0, 2), a.clamp(min=1), a.pow(2), a.sqrt(), torch.add(a, b, alpha=2))
print(a.exp(), a.log(), a.sin(), a.cos(), a.tanh(), a.sigmoid(), a.relu(), a.abs(), a.floor(), a.ceil(), a.round(), a.sign(), a.square(), a.rsqrt(), a.reciprocal())
print(torch.maximum(a, b), torch.minimum(a, b), torch.where(a > 1, a, b), torch.where(a > 1, 1.0, 0.0), a.masked_fill(a > 2, 0))

# reductions
m = torch.tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
print(m.sum(), m.sum(0), m.sum(1, keepdim=True), m.sum(dim=(0, 1)), m.mean(), m.mean(1), m.prod(), m.std(), m.var(0), m.std(1, keepdim=True))
print(m.max(), m.min(), m.argmax(), m.argmin(1), m.argmax(dim=0, keepdim=True), m.amax(1), m.max(dim=1), m.min(0).values, torch.max(m, 1)[1])
print(m.cumsum(0), m.logsumexp(1), m.norm(), m.norm(1), (m > 3).any(), (m > 0).all(), (m > 3).any(1), m.softmax(1), torch.log_softmax(m, dim=0))
print(m.sort(descending=True), m.argsort(), m.topk(2), torch.tensor([3, 1, 3]).unique(), torch.tensor([0, 2, 2]).bincount())
print(m.sum(axis=1), m.sum(dtype=torch.float64), torch.sum(m, 0), torch.tensor([True, True]).sum(), torch.tensor([1, 2]).sum())

# shape
print(m.T, m.t().shape, m.reshape(3, 2), m.reshape(-1), m.view(6), m.view(-1, 2), m.flatten(), m.unsqueeze(0).shape, m.unsqueeze(-1).squeeze().shape)
print(m.permute(1, 0).shape, m.transpose(0, 1).stride(), m.stride(), m.is_contiguous(), m.T.is_contiguous(), m.T.contiguous().stride())
print(m.expand(2, 2, 3).shape, m.repeat(2, 1), m.flip(1), m.chunk(2), m.split(1, dim=1), m.unbind(1), m.size(), m.size(0), m.size(-1), m.dim())
print(torch.cat([m, m]), torch.cat((m, m), dim=1), torch.stack([m, m]).shape, torch.stack((m[0], m[1]), dim=1), torch.vstack([m[0], m[1]]), torch.hstack([m[0], m[1]]))
print(m.tril(), m.triu(1), torch.outer(m[0], m[1]), torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"))

# indexing
n = torch.arange(24).reshape(4, 6)
print(n[0], n[-1, -1], n[1:3], n[:, 0], n[::2, 1::2], n[..., 1], n[None].shape, n[:, None, 2].shape, n[2, [0, 3]], n[[0, 1], [2, 3]], n[torch.tensor([0, 2])][:, :2])
print(n[n > 20], n[n[:, 0] > 10], n[torch.tensor([True, False, True, False])], n[1][2], n[(1, 2)], n[:2, torch.tensor([0, 5])])
n[0] = 0; n[1, 1] = -1; n[:, 2] = torch.tensor([9, 9, 9, 9]); n[n == 9] = 10; n[[2, 3], [0, 0]] = torch.tensor([50, 60]); n[1:3, 3:5] += 100
print(n, len(n), [r.tolist() for r in n][1], n[0].tolist(), 10 in n, 11 in n)
v = n[1]; v[0] = 77; w = n.view(-1); w[1] = 88
print(n[:2], n.T[0], n.detach()[0, 1].item(), n.clone().fill_(1)[0])
print(m.gather(1, torch.tensor([[0], [2]])), m.index_select(1, torch.tensor([2, 0])), torch.zeros(2, 3).scatter_add(1, torch.tensor([[0, 1, 0]]), torch.tensor([[1.0, 2.0, 3.0]])) if hasattr(torch.Tensor, "scatter_add") else "")
print((m > 3).nonzero(), torch.nonzero(m > 3, as_tuple=True), m.masked_select(m > 3), bool(m.sum() > 1), int(m[0, 0]), float(m[1, 1]), [1, 2, 3][torch.tensor(1)])
print(m.allclose(m + 1e-9), torch.equal(m, m.clone()), torch.isclose(m, m + 1).any(), m.float() is m, m.double().dtype, m.to(torch.int64), m.type(), m.bool())
for row in torch.tensor([[1, 2], [3, 4]]):
    for x in row:
        print(x.item(), end=" ")
print(torch.randint(0, 10, (2, 3)), torch.randperm(6), torch.rand(2, dtype=torch.float64), torch.randn(3, dtype=torch.float64), torch.rand_like(m), torch.normal(0.0, 2.0, (3,)))
g = torch.Generator().manual_seed(5)
print(torch.rand(2, generator=g), torch.randperm(4, generator=g), torch.initial_seed(), torch.empty(3).uniform_(-1, 1), torch.empty(20).normal_(1, 2)[:3])
