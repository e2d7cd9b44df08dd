import torch
import torch.nn.functional as F

x = torch.tensor([[1.0, -2.0, 3.0], [float("nan"), 5.0, -6.0]])
print(torch.where(x > 0, x, 0.0), torch.where(x.isnan()), x[x.isnan()])
print(x.masked_fill(x.isnan(), 0), x.masked_select(x > 2), x.nan_to_num(7.0))
print((x > 0) & (x < 4), (x > 4) | x.isnan(), ~(x > 0), (x > 0) ^ (x > 2), (x > 0).any(1), (x > 0).all(0))
print(torch.where(torch.tensor([True, False]), 1, 2), torch.where(torch.tensor([True, False]), torch.tensor([1, 2]), 0.5))
print(torch.logical_xor(torch.tensor([1, 0]), torch.tensor([2, 2])), torch.isclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-9])))

# Sequences of different lengths, averaged over what is there.
lengths = torch.tensor([3, 1, 2])
mask = torch.arange(3) < lengths[:, None]
values = torch.arange(9.0).reshape(3, 3)
print(mask, (values * mask).sum(1) / mask.sum(1), values.masked_fill(~mask, float("-inf")).softmax(1))
targets = torch.tensor([[0, 1, 2], [2, 9, 9], [1, 0, 9]]).masked_fill(~mask, -100)
print(targets, F.cross_entropy(torch.eye(3).expand(3, 3, 3).transpose(1, 2), targets))

# Both sides are computed: a NaN in the side not taken still reaches the gradient.
p = torch.tensor([0.0, 4.0], requires_grad=True)
torch.where(p > 0, p.sqrt(), torch.zeros(())).sum().backward()
print(p.grad)
p.grad = None
torch.where(p > 0, p, 1.0).sqrt().sum().backward()
print(p.grad)
p.grad = None
p.masked_fill(p > 1, 100.0).sum().backward()
print(p.grad)
p.grad = None
p.clamp(min=0, max=3).sum().backward()
print(p.grad, torch.where(p > 0, p, -p))

print(torch.ones(3, 3).triu(1), torch.ones(2, 3, dtype=torch.bool).tril(), torch.tril(torch.arange(9).view(3, 3), -1))
scores = torch.zeros(3, 3).masked_fill(torch.ones(3, 3).triu(1).bool(), float("-inf"))
print(scores, scores.softmax(-1))
y = torch.arange(6.0)
y.masked_fill_(y > 3, -1)
y[y == -1] = torch.tensor([40.0, 50.0])
print(y, torch.count_nonzero(y), y.bool(), torch.allclose(x, x), torch.allclose(x, x, equal_nan=True))
