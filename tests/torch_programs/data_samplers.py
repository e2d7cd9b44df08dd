import torch
from torch.utils.data import (
    BatchSampler, DataLoader, DistributedSampler, RandomSampler, Sampler, SequentialSampler,
    SubsetRandomSampler, TensorDataset, WeightedRandomSampler, random_split,
)
from torch.utils.data.distributed import DistributedSampler as Same


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


data = TensorDataset(torch.arange(10.0), torch.arange(10) % 3)
weights = [0.1, 0.0, 3.0, 1.0, 0.5, 0.5, 2.0, 0.0, 0.3, 1.0]
makers = {
    "sequential": lambda g: SequentialSampler(data),
    "random": lambda g: RandomSampler(data, generator=g),
    "random 4": lambda g: RandomSampler(data, num_samples=4, generator=g),
    "random 25": lambda g: RandomSampler(data, num_samples=25, generator=g),
    "replacement": lambda g: RandomSampler(data, replacement=True, generator=g),
    "replacement 70": lambda g: RandomSampler(data, replacement=True, num_samples=70, generator=g),
    "subset": lambda g: SubsetRandomSampler([7, 3, 5, 1], generator=g),
    "weighted": lambda g: WeightedRandomSampler(weights, 12, generator=g),
    "weighted once": lambda g: WeightedRandomSampler(torch.tensor(weights), 5, replacement=False, generator=g),
    "batches": lambda g: BatchSampler(RandomSampler(data, generator=g), 4, False),
    "full batches": lambda g: BatchSampler(RandomSampler(data, generator=g), 4, True),
}
for name, make in makers.items():
    for generator in (None, torch.Generator().manual_seed(5)):
        torch.manual_seed(1)
        sampler = make(generator)
        print(name, len(sampler), "own" if generator else "")
        for epoch in range(2):
            print(list(sampler), round(torch.rand(1).item(), 6))
        if generator:
            print(torch.randint(0, 1000, (3,), generator=generator).tolist())

print("in a loader")
for name, make in makers.items():
    for generator in (None, torch.Generator().manual_seed(5)):
        torch.manual_seed(2)
        given = {"batch_sampler": make(generator)} if "batches" in name else {"sampler": make(generator), "batch_size": 3}
        loader = DataLoader(data, generator=generator, **given)
        print(name, len(loader))
        for epoch in range(2):
            print([[x.tolist(), y.tolist()] for x, y in loader], round(torch.rand(1).item(), 6))
for options in ({}, {"generator": torch.Generator().manual_seed(3)}, {"drop_last": True}, {"batch_size": None}, {"batch_size": 20}):
    torch.manual_seed(3)
    loader = DataLoader(data, **{"batch_size": 4, "shuffle": True, **options})
    print(len(loader))
    for epoch in range(2):
        print([x.tolist() for x, y in loader], round(torch.rand(1).item(), 6))
torch.manual_seed(4)
loader = DataLoader(data, batch_size=4, shuffle=True)
first, second = iter(loader), iter(loader)
print(round(torch.rand(1).item(), 6), next(first)[0].tolist(), round(torch.rand(1).item(), 6), next(second)[0].tolist(), len(first))
print(round(torch.rand(1).item(), 6), next(iter(loader))[0].tolist(), round(torch.rand(1).item(), 6))
torch.manual_seed(4)
loader = DataLoader(data, 4, True, generator=torch.default_generator)
print([x.tolist() for x, _ in loader], round(torch.rand(1).item(), 6))

print("samplers of one's own")


class Eager(Sampler):
    def __iter__(self):
        return iter(torch.randperm(4))

    def __len__(self):
        return 4


class Odd(Sampler[int]):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        yield from range(1, self.n, 2)


torch.manual_seed(6)
loader = DataLoader(data, batch_size=3, sampler=Eager())
for epoch in range(2):
    print([x.tolist() for x, _ in loader], round(torch.rand(1).item(), 6))
print([x.tolist() for x, _ in DataLoader(data, 2, sampler=Odd(10))], [x.tolist() for x, _ in DataLoader(data, 2, sampler=[5, 5, 9])])
print([x.tolist() for x, _ in DataLoader(data, batch_sampler=[[0, 1], [9]])])
attempt(len, DataLoader(data, 2, sampler=Odd(10)))
attempt(iter, Sampler())

print("several processes")
for replicas, shuffle, drop in ((1, True, False), (3, True, False), (3, False, True), (4, False, False), (12, False, False), (12, True, True)):
    shares = []
    for rank in range(min(replicas, 4)):
        sampler = DistributedSampler(data, replicas, rank, shuffle, seed=7, drop_last=drop)
        shares.append(list(sampler))
        sampler.set_epoch(2)
        shares.append(list(sampler))
    print(replicas, shuffle, drop, len(sampler), shares)
print(Same is DistributedSampler)
attempt(DistributedSampler, data, 2, 2)
attempt(DistributedSampler, data, 2, -1)

print("splits")
for lengths in ([7, 3], [0.5, 0.5], [0.33, 0.33, 0.34], [1 / 3] * 3, [1, 2, 3, 4], [10], [1.0], [0.05, 0.95]):
    torch.manual_seed(8)
    print(lengths, [part.indices for part in random_split(data, lengths)], round(torch.rand(1).item(), 6))
parts = random_split(range(5), [2, 3], generator=torch.Generator().manual_seed(42))
print([list(part) for part in parts], [part.indices for part in parts], type(parts[0]).__name__)
print([list(part) for part in random_split(range(5), [2, 3], torch.Generator().manual_seed(42))])
for lengths in ([5, 4], [0.5, 0.6], [1.5, -0.5]):
    attempt(random_split, data, lengths)

print("what is refused")
attempt(RandomSampler, data, replacement=1)
for n in (0, -1, 2.5, "a"):
    attempt(RandomSampler, data, num_samples=n)
attempt(RandomSampler, [])
for n in (0, True, 2.5):
    attempt(WeightedRandomSampler, weights, n)
attempt(WeightedRandomSampler, weights, 3, replacement="yes")
attempt(WeightedRandomSampler, [weights, weights], 3)
for size in (0, True, 1.5, None):
    attempt(BatchSampler, range(3), size, False)
attempt(BatchSampler, range(3), 2, 1)
