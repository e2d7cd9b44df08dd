import torch

torch.manual_seed(0)
print(torch.rand(3))
print(torch.randn(3))
print(torch.randint(0, 10, (5,)))
print(torch.randperm(6))
print(torch.randn(2, 10))
print(torch.rand(2, dtype=torch.float64), torch.randn(1, dtype=torch.float64))
print(torch.empty(3).uniform_(-1, 1), torch.empty(3).normal_(5, 2))
print(torch.rand_like(torch.zeros(2)), torch.randn_like(torch.zeros(2)), torch.randint(5, (3,)))
state = torch.get_rng_state()
first = torch.randn(5)
torch.set_rng_state(state)
print(torch.equal(first, torch.randn(5)))
generator = torch.Generator().manual_seed(42)
print(
    torch.randn(2, generator=generator),
    torch.rand(2, generator=generator),
    torch.randperm(4, generator=generator),
)
print(generator.initial_seed(), torch.initial_seed())
torch.manual_seed(0)
print(torch.rand(3))
print(torch.nn.Linear(3, 2).weight)
print(torch.empty(2, 3).uniform_(0, 1, generator=torch.Generator().manual_seed(7)))
