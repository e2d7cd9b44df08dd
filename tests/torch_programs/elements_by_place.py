"""Elements found, counted and written by their places."""
import warnings

import torch

warnings.simplefilter("ignore")
x, v, i = torch.arange(12.0).reshape(3, 4), torch.arange(5.0), torch.tensor([0, 2])


def refused(name, call):
    try:
        print(name, "was taken:", call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def slopes(name, f, *xs):
    leaves = [each.clone().requires_grad_() for each in xs]
    y = f(*leaves)
    first = torch.autograd.grad((y * y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum(), leaves, create_graph=True)
    print(name, "first", [[round(n, 3) for n in g.flatten().tolist()] for g in first])
    try:
        again = torch.autograd.grad(sum((g * g).sum() for g in first), leaves, allow_unused=True)
    except RuntimeError:
        return
    print(name, "second", [None if g is None else [round(n, 3) for n in g.flatten().tolist()] for g in again])


print(torch.put(x, torch.tensor([0, 5, -1]), torch.tensor([9.0, 8.0, 7.0])), x.put(torch.tensor([0, 0]), torch.tensor([9.0, 8.0]), accumulate=True))
print(torch.put(x, torch.tensor([[0], [3]]), torch.tensor([[9.0], [8.0]])), x.clone().put_(torch.tensor([1]), torch.tensor([5.0]), True), torch.put(x.T, torch.tensor([1]), torch.tensor([5.0])))
refused("put of another size", lambda: torch.put(x, torch.tensor([0]), torch.tensor([9.0, 8.0])))
refused("put beyond the end", lambda: torch.put(x, torch.tensor([12]), torch.tensor([9.0])))
refused("put at floats", lambda: torch.put(x, torch.tensor([0.0]), torch.tensor([9.0])))
refused("put of another dtype", lambda: torch.put(x, torch.tensor([0]), torch.tensor([9])))
slopes("put", lambda a, b: torch.put(a, i, b), x[:2, :2], v[3:])
slopes("put added", lambda a, b: torch.put(a, torch.tensor([1, 1]), b, True), x[:2, :2], v[3:])

twos = torch.full((2, 4), 2.0)
for reduce in ("prod", "mean", "amax", "amin"):
    for include in (True, False):
        print(reduce, include, torch.index_reduce(x, 0, torch.tensor([0, 0]), twos + x[:2], reduce, include_self=include)[0])
print(torch.index_reduce(x, 1, torch.tensor([0, 0, 1]), torch.full((3, 3), 3.0), "mean", include_self=False))
print(torch.index_reduce(x.long(), 0, i, torch.full((2, 4), 3), "mean"), x.clone().index_reduce_(0, i, twos, "prod"))
refused("index_reduce by a sum", lambda: torch.index_reduce(x, 0, i, twos, "sum"))
refused("index_reduce of another size", lambda: torch.index_reduce(x, 0, i, torch.zeros(3, 4), "prod"))
refused("index_reduce beyond the end", lambda: torch.index_reduce(x, 0, torch.tensor([0, 7]), twos, "prod"))
refused("index_reduce by a matrix", lambda: torch.index_reduce(x, 0, torch.tensor([[0]]), twos, "prod"))
refused("index_reduce of another dtype", lambda: torch.index_reduce(x, 0, i, twos.double(), "prod"))
slopes("index_reduce prod", lambda a, b: torch.index_reduce(a, 0, i, b, "prod"), x[:, 1:3], twos[:, :2])
slopes("index_reduce mean", lambda a, b: torch.index_reduce(a, 0, torch.tensor([0, 0]), b, "mean"), x[:, 1:3], twos[:, :2])
slopes("index_reduce amax", lambda a, b: torch.index_reduce(a, 0, i, b, "amax"), x[:, 1:3], twos[:, :2] + 2.5)

lengths = torch.tensor([2, 0, 3])
for reduce in ("sum", "mean", "max", "min", "prod"):
    print(reduce, torch.segment_reduce(v, reduce, lengths=lengths), torch.segment_reduce(v, reduce, lengths=lengths, initial=3), torch.segment_reduce(x, reduce, lengths=torch.tensor([1, 2])))
print(torch.segment_reduce(v, "sum", offsets=torch.tensor([0, 2, 5])), torch.segment_reduce(x, "sum", lengths=torch.tensor([[1, 3], [2, 2], [4, 0]]), axis=1))
print(torch.segment_reduce(v, "sum", lengths=torch.tensor([2, 2]), unsafe=True))
refused("segments of another length", lambda: torch.segment_reduce(v, "sum", lengths=torch.tensor([2, 2])))
refused("no segments", lambda: torch.segment_reduce(v, "sum"))
refused("an unknown reduction", lambda: torch.segment_reduce(v, "bog", lengths=torch.tensor([5])))
refused("a negative length", lambda: torch.segment_reduce(v, "sum", lengths=torch.tensor([-1, 6])))
refused("another axis", lambda: torch.segment_reduce(x, "sum", lengths=torch.tensor([4]), axis=1))
refused("by indices", lambda: torch.segment_reduce(v, "sum", indices=torch.tensor([0])))
refused("segments of integers", lambda: torch.segment_reduce(torch.tensor([1, 2]), "sum", lengths=torch.tensor([2])))
for reduce in ("sum", "mean", "max", "prod"):
    leaf = (v + 1).requires_grad_()
    y = torch.segment_reduce(leaf, reduce, lengths=torch.tensor([2, 3]))
    (y * torch.tensor([1.0, 2.0])).sum().backward()
    print(reduce, y.grad_fn.name(), leaf.grad)

print(torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5])), torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2]), invert=True))
print(torch.isin(3, torch.tensor([3])), torch.isin(torch.tensor([3]), 3), torch.isin(torch.tensor([1.0]), torch.tensor([1])), torch.isin(torch.tensor([1, 2]), torch.tensor([])), torch.isin(torch.tensor([1, 2]), torch.tensor([1]), assume_unique=True))
print(torch.isin(torch.arange(100) * 7 % 50, torch.arange(0, 100, 3)).sum(), torch.isin(torch.tensor([0.5, float("nan")]), torch.tensor([float("nan"), 0.5])))
refused("isin of bools", lambda: torch.isin(torch.tensor([True]), torch.tensor([True])))
print(torch.nonzero_static(torch.tensor([0, 3, 0, 4]), size=3), torch.nonzero_static(torch.tensor([0, 3, 0, 4]), size=1), torch.nonzero_static(x > 8, size=4, fill_value=7), torch.tensor(3).nonzero_static(size=1))
refused("nonzero_static below zero", lambda: torch.nonzero_static(torch.tensor([0, 3]), size=-1))
runs = torch.tensor([1, 1, 2, 2, 1])
print(torch.unique_consecutive(runs), runs.unique_consecutive(return_inverse=True, return_counts=True), torch.unique_consecutive(torch.tensor([])))
print(torch.unique_consecutive(torch.tensor([[1, 1], [1, 1], [2, 1]]), dim=0, return_counts=True), torch.unique_consecutive(torch.tensor([[1, 1], [2, 2]]), return_inverse=True))
print(torch.unique_consecutive(torch.tensor([[1, 1], [1, 1], [2, 1]]), dim=1, return_inverse=True), torch.unique_consecutive(torch.tensor([[1, 1], [1, 1]]), dim=1))
refused("unique_consecutive along nothing", lambda: torch.unique_consecutive(x, dim=5))
print(torch.unravel_index(torch.tensor(7), (3, 4)), torch.unravel_index(torch.tensor([1, 11]), (3, 4)), torch.unravel_index(torch.tensor([[1], [11]]), torch.Size([3, 4])))
print(torch.unravel_index(torch.tensor([12, -1]), (3, 4)), torch.unravel_index(torch.tensor([1]), 4), torch.unravel_index(torch.tensor([1]), ()))
refused("unravel_index of floats", lambda: torch.unravel_index(torch.tensor([1.0]), (3, 4)))
refused("unravel_index in half a row", lambda: torch.unravel_index(torch.tensor([1]), (3.5,)))
refused("unravel_index in a tensor", lambda: torch.unravel_index(torch.tensor([1]), torch.tensor([3, 4])))
refused("unravel_index below zero", lambda: torch.unravel_index(torch.tensor([1]), (-3,)))
