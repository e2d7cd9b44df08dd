import torch
import torch.nn as nn

torch.manual_seed(42)
print(torch.randperm(8), torch.randint(0, 100, (6,)), torch.randint(-3, 4, (2, 3)))
print(torch.rand(2, 3), torch.randn(2, 3))
print(torch.normal(10.0, 2.0, (4,)), torch.normal(torch.tensor([0.0, 100.0]), torch.tensor([1.0, 0.1])))
print(torch.bernoulli(torch.tensor([0.0, 0.3, 0.5, 0.7, 1.0])), torch.bernoulli(torch.full((2, 4), 0.5)))
weights = torch.tensor([0.1, 0.0, 3.0, 1.0])
print(torch.multinomial(weights, 3), torch.multinomial(weights, 8, replacement=True))
print(torch.multinomial(torch.tensor([[1.0, 1.0, 2.0], [0.0, 5.0, 5.0]]), 2))
print(torch.rand(3, dtype=torch.float64), torch.randint(10, (4,), dtype=torch.int32))
print(torch.empty(4).uniform_(-1, 1), torch.empty(2, 2).normal_(0, 0.02).abs().max() < 0.2)

# The same seed, the same numbers; two generators do not disturb each other.
torch.manual_seed(7)
first = torch.randn(20)
torch.manual_seed(7)
print(torch.equal(first, torch.randn(20)))
a, b = torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)
print(torch.rand(2, generator=a), torch.randn(2, generator=b), torch.rand(2, generator=a))
print(torch.randperm(5, generator=a), torch.multinomial(weights, 2, generator=b))
before = torch.get_rng_state()
drawn = torch.randperm(100)
torch.set_rng_state(before)
print(torch.equal(drawn, torch.randperm(100)), drawn[:5], drawn.sort().values.equal(torch.arange(100)))

# What layers and nn.init draw.
torch.manual_seed(0)
print(nn.Linear(2, 2).weight, nn.Conv2d(1, 1, 2).weight.flatten(), nn.Embedding(2, 2).weight)
print(nn.init.xavier_uniform_(torch.empty(2, 3)), nn.init.kaiming_normal_(torch.empty(2, 2)))
mask = torch.rand(2, 5) < 0.5
print(mask, torch.randn(3, 3).tril().diagonal(1))
shuffled = torch.arange(10)[torch.randperm(10)]
train, test = shuffled.split([7, 3])
print(train, test, torch.rand(1000).mean().sub(0.5).abs() < 0.05)
