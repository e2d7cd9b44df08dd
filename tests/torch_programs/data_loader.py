import random
from collections import OrderedDict, namedtuple

import torch
from torch.utils.data import (
    ChainDataset, ConcatDataset, DataLoader, Dataset, IterableDataset, StackDataset, Subset,
    TensorDataset, default_collate, default_convert, get_worker_info,
)
from torch.utils.data.dataloader import default_collate as same


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if not 0 <= i < self.n:
            raise IndexError(i)
        return {"x": torch.tensor([i, i * i]), "name": f"n{i}", "half": i / 2}


class Count(IterableDataset):
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            return iter(range(self.start, self.end))
        return iter(range(self.start + info.id, self.end, info.num_workers))

    def __len__(self):
        return self.end - self.start


print("collate")
Point = namedtuple("Point", ["x", "y"])
samples = {
    "tensors": [torch.ones(2), torch.zeros(2)],
    "integers": [1, 2, 3],
    "floats": [0.5, 1.0],
    "bools": [True, False],
    "mixed": [1, 2.5],
    "texts": ["a", "b"],
    "bytes": [b"a", b"b"],
    "tuples": [(1, 2.0, "a"), (3, 4.0, "b")],
    "lists": [[1, torch.ones(1)], [2, torch.zeros(1)]],
    "dicts": [{"a": 1, "b": [1.0, 2.0]}, {"a": 2, "b": [3.0, 4.0]}],
    "ordered": [OrderedDict(b=1, a=2), OrderedDict(b=3, a=4)],
    "named": [Point(1, 2.0), Point(3, 4.0)],
    "ranges": [range(3), range(3, 6)],
    "dtypes": [torch.tensor(1, dtype=torch.int16), torch.tensor(2, dtype=torch.int16)],
    "arrays": [torch.ones(2).numpy(), torch.zeros(2).numpy()],
}
for name, batch in samples.items():
    result = default_collate(batch)
    print(name, type(result).__name__, result if name != "ordered" else dict(result))
print(default_collate([1, 2]).dtype, default_collate([1.0]).dtype, default_collate([True]).dtype, same is default_collate)
attempt(default_collate, [[1, 2], [3]])
attempt(default_collate, [None, None])
attempt(default_collate, [{1}, {2}])
attempt(default_collate, [{"a": 1}, {"b": 1}])
attempt(default_collate, [])
for value in (torch.ones(1), torch.ones(2).numpy(), {"a": torch.ones(1).numpy(), "b": 2}, (1, "a"), [1, [torch.ones(1).numpy()]],
              Point(1, torch.ones(1).numpy()), "text", 3, None):
    result = default_convert(value)
    print(type(result).__name__, result)

print("data sets")
data = Squares(5)
print([type(each).__name__ for each in (data + data, Count(0, 2) + Count(2, 4))])
both = ConcatDataset([data, Squares(2), range(3)])
print(len(both), both[5], both[-1], both.cumulative_sizes, ConcatDataset.cumsum([[1, 2], [3]]))
attempt(both.__getitem__, -11)
attempt(both.__getitem__, 10)
attempt(ConcatDataset, [])
attempt(ConcatDataset, [Count(0, 3)])
chain = ChainDataset([Count(0, 2), Count(5, 8)])
print(list(chain), len(chain), list(Count(0, 2) + Count(7, 9)))
attempt(list, ChainDataset([data]))
attempt(len, ChainDataset([data]))
stack = StackDataset(range(3), "abc")
print(len(stack), stack[1], stack.__getitems__([0, 2]), StackDataset(a=range(3), b="abc")[2])
print(StackDataset(a=range(3), b=Subset("abcd", [3, 1, 0])).__getitems__([1, 2]))
attempt(StackDataset)
attempt(StackDataset, range(3), "ab")
attempt(StackDataset, range(3), b="abc")
attempt(TensorDataset, torch.ones(2), torch.ones(3))
pairs = TensorDataset(torch.arange(6.0).view(3, 2), torch.tensor([0, 1, 2]))
print(pairs[1], pairs[[0, 2]], pairs[-1], len(pairs))
part = Subset(pairs, [2, 0])
print(part[0], part[[0, 1]], len(part), part.__getitems__([1]))
attempt(Dataset().__getitem__, 0)


class Loud(Subset):
    def __getitem__(self, i):
        return super().__getitem__(i)


try:
    Loud(data, [0])
except NotImplementedError as error:
    print(str(error)[:130])

print("loaders")
for options in (
    {}, {"batch_size": 2}, {"batch_size": 2, "drop_last": True}, {"batch_size": None}, {"batch_size": 3, "collate_fn": lambda rows: [row["name"] for row in rows]},
    {"batch_size": 2, "sampler": [4, 0, 0]}, {"batch_sampler": [[1], [2, 3]]}, {"batch_size": None, "sampler": [1, 2]},
    {"batch_size": None, "collate_fn": lambda row: row["name"]}, {"batch_size": 4, "pin_memory": False, "in_order": False, "worker_init_fn": print},
):
    loader = DataLoader(data, **options)
    print(len(loader), loader.batch_size, loader.drop_last, list(loader))
loader = DataLoader(Subset(Subset(pairs, [2, 1, 0]), [0, 2]), 2)
print(list(loader), list(DataLoader(StackDataset(x=range(4), y="abcd"), 2)))
print(list(DataLoader("abcde", 2)), list(DataLoader([(1, 2.0), (3, 4.0)], 2)), list(DataLoader(range(3))))
for options in ({}, {"batch_size": 3}, {"batch_size": 3, "drop_last": True}, {"batch_size": None}, {"batch_size": 3, "shuffle": False}):
    loader = DataLoader(Count(0, 7), **options)
    print(len(loader), list(loader), list(loader))


class Batched(Dataset):
    def __len__(self):
        return 5

    def __getitems__(self, indices):
        return [10 * i for i in indices]


print(list(DataLoader(Batched(), 2)))
it = iter(DataLoader(range(3), 2))
print(next(it), next(it), len(it), iter(it) is it)
for _ in range(2):
    try:
        next(it)
    except StopIteration:
        print("the end")

print("what is refused")
for options in (
    {"num_workers": -1}, {"timeout": -1}, {"prefetch_factor": 2}, {"num_workers": 1, "prefetch_factor": -1}, {"persistent_workers": True},
    {"sampler": [0], "shuffle": True}, {"batch_sampler": [[0]], "batch_size": 2}, {"batch_sampler": [[0]], "shuffle": True},
    {"batch_sampler": [[0]], "sampler": [0]}, {"batch_sampler": [[0]], "drop_last": True}, {"batch_size": None, "drop_last": True},
    {"batch_size": 0}, {"batch_size": -1}, {"batch_size": 1.5}, {"batch_size": True}, {"drop_last": 1}, {"multiprocessing_context": "fork"},
    {"multiprocessing_context": "spoon", "num_workers": 1}, {"colour": "red"},
):
    attempt(DataLoader, data, **options)
attempt(DataLoader, [], shuffle=True)
for options in ({"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}):
    attempt(DataLoader, Count(0, 3), **options)
loader = DataLoader(data)
for name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"):
    attempt(setattr, loader, name, 1)
loader.collate_fn = len
print(list(loader), len(DataLoader([])), list(DataLoader([])))
attempt(iter, DataLoader(data, timeout=3))
attempt(len, DataLoader(iter([1])))

print("workers")


class Noisy(Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        info = get_worker_info()
        return i, torch.rand(1).item(), random.random(), -1 if info is None else info.id


def started(number):
    info = get_worker_info()
    torch.rand(number + 1)
    info.dataset.extra = number


def show(batches):
    return [[[round(x, 5) for x in part.tolist()] for part in batch] for batch in batches]


for workers, options in ((1, {}), (2, {}), (3, {"prefetch_factor": 1}), (2, {"persistent_workers": True}), (2, {"worker_init_fn": started}),
                         (2, {"generator": torch.Generator().manual_seed(9)})):
    torch.manual_seed(0)
    random.seed(0)
    loader = DataLoader(Noisy(), batch_size=2, shuffle=True, num_workers=workers, **options)
    print(workers, loader.prefetch_factor, get_worker_info())
    for epoch in range(2):
        print(show(loader), round(torch.rand(1).item(), 6), round(random.random(), 6))
print(list(DataLoader(Count(0, 7), batch_size=2, num_workers=2)))
print(list(DataLoader(Count(0, 7), batch_size=None, num_workers=3)))


class Twice(IterableDataset):
    def __iter__(self):
        yield from (1, 2, 3)


print(list(DataLoader(Twice(), batch_size=2, num_workers=2)))
