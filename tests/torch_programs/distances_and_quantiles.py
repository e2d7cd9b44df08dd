"""Covariances, quantiles, histograms, distances, and sums without NaN."""
import math
import warnings

import torch

warnings.simplefilter("ignore")
nan, inf = math.nan, math.inf
x = torch.tensor([[1.0, 3.0, 2.0, 4.0], [2.0, -1.0, 0.5, 8.0], [0.0, 1.0, 7.0, 2.0]])
v, n = torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0]), torch.tensor([1.0, nan, 3.0, 2.0])


def refused(name, call):
    try:
        print(name, "was taken:", call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def slopes(name, f, *xs, digits=3):
    leaves = [each.clone().requires_grad_() for each in xs]
    y = f(*leaves)
    first = torch.autograd.grad((y * y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum(), leaves, create_graph=True)
    print(name, "first", [[round(n, digits) + 0.0 for n in g.flatten().tolist()] for g in first], y.grad_fn.name() if "quantile" not in name else "")
    try:
        again = torch.autograd.grad(sum((g * torch.arange(1.0, g.numel() + 1).reshape(g.shape)).sum() for g in first), leaves, allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return
    print(name, "second", [None if g is None else [round(n, digits) + 0.0 for n in g.flatten().tolist()] for g in again])


counts, weights = torch.tensor([1, 2, 1, 3]), torch.tensor([0.25, 0.2, 0.35, 0.4])
print(torch.cov(x), torch.cov(v), x.cov(correction=0), torch.cov(torch.tensor([[1, 2], [3, 4]])))
print(torch.cov(x, fweights=counts), torch.cov(x, aweights=weights), torch.cov(x, correction=0, fweights=counts, aweights=weights))
refused("cov of three dimensions", lambda: torch.cov(x[None]))
refused("cov of bools", lambda: torch.cov(torch.tensor([True])))
refused("float counts", lambda: torch.cov(x, fweights=weights))
refused("too few counts", lambda: torch.cov(x, fweights=counts[:2]))
refused("a matrix of counts", lambda: torch.cov(x, fweights=counts.reshape(2, 2)))
refused("negative counts", lambda: torch.cov(x, fweights=-counts))
refused("whole weights", lambda: torch.cov(x, aweights=counts))
refused("negative weights", lambda: torch.cov(x, aweights=-weights))
refused("no weight at all", lambda: torch.cov(x, aweights=weights * 0))
slopes("cov", torch.cov, x)
slopes("cov weighted", lambda x: torch.cov(x, fweights=counts, aweights=weights), x[:2])
print(torch.corrcoef(x), torch.corrcoef(v), torch.tensor([[1.0, 1.0], [2.0, 3.0]]).corrcoef())
refused("corrcoef of three dimensions", lambda: torch.corrcoef(x[None]))
slopes("corrcoef", torch.corrcoef, x[:2])

print(torch.quantile(v, 0.4), torch.quantile(v, torch.tensor([0.1, 0.5])), torch.quantile(x, 0.5, dim=1), x.quantile(torch.tensor([0.25, 0.75]), dim=0, keepdim=True))
print(torch.quantile(x, 0.5, keepdim=True), torch.quantile(x, torch.tensor([0.25, 0.75]), keepdim=True).shape, torch.quantile(x, torch.tensor([0.25, 0.75])), torch.quantile(x, torch.tensor([0.25, 0.75]), 1).shape)
print([torch.quantile(v, q, interpolation=how).item() for how in ("linear", "lower", "higher", "nearest", "midpoint") for q in (0.0, 0.375, 0.625, 1.0)])
print(torch.quantile(n, 0.5), torch.quantile(v.double(), 0.3), torch.quantile(torch.stack([n, n.nan_to_num()]), 0.5, dim=-1), torch.quantile(torch.tensor(3.0), 0.5))
print(torch.nanquantile(n, 0.5), n.nanquantile(torch.tensor([0.0, 0.25, 1.0])), torch.nanquantile(torch.tensor([[1.0, nan], [nan, nan]]), 0.5, dim=1), torch.nanquantile(n, 0.4, interpolation="nearest"))
refused("q beyond 1", lambda: torch.quantile(v, 1.5))
refused("a row of q beyond 1", lambda: torch.quantile(v, torch.tensor([1.5])))
refused("quantile of integers", lambda: torch.quantile(torch.tensor([1, 2]), 0.5))
refused("q of another dtype", lambda: torch.quantile(v, torch.tensor([0.5], dtype=torch.float64)))
refused("an unknown interpolation", lambda: torch.quantile(v, 0.5, interpolation="x"))
refused("quantile of nothing", lambda: torch.quantile(torch.tensor([]), 0.5))
refused("a matrix of q", lambda: torch.nanquantile(v, torch.tensor([[0.5]])))
slopes("quantile", lambda x: torch.quantile(x, torch.tensor([0.3, 0.6]), dim=1), x[:2])
slopes("nanquantile", lambda x: torch.nanquantile(x, 0.3), n)

print(torch.nansum(n), torch.nansum(n.reshape(2, 2), 0), torch.nansum(torch.tensor([1, 2])), n.nansum(dtype=torch.float64), torch.nansum(n.reshape(2, 2), (0, 1), True), torch.nansum(n, ()))
print(torch.nanmean(n), torch.nanmean(n.reshape(2, 2), 0), n.reshape(2, 2).nanmean(1, keepdim=True), torch.nanmean(n, dtype=torch.float64), torch.nanmean(torch.tensor([nan])))
refused("nanmean of integers", lambda: torch.nanmean(torch.tensor([1, 2])))
slopes("nansum", torch.nansum, n)
slopes("nanmean", torch.nanmean, n)
print(torch.msort(x), v.msort(), torch.msort(torch.tensor(1.0)))
slopes("msort", torch.msort, x[:2])

print(torch.histogram(v, 4), torch.histogram(v, bins=3, range=(0.0, 6.0)), torch.histogram(v, torch.tensor([0.0, 2.0, 4.0])))
print(v.histogram(3, weight=torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])), torch.histogram(v, 3, density=True), torch.histogram(torch.tensor([2.0, 2.0]), 2), torch.histogram(torch.tensor([]), 2))
print(torch.histogram(v)[0].shape, torch.histogram(x, 2, range=(0.0, 4.0)).hist)
refused("histogram of integers", lambda: torch.histogram(torch.tensor([1]), 2))
refused("no bins", lambda: torch.histogram(v, 0))
refused("a range backwards", lambda: torch.histogram(v, 2, range=(3.0, 1.0)))
refused("an endless range", lambda: torch.histogram(v, 2, range=(0.0, inf)))
refused("weights of another size", lambda: torch.histogram(v, 2, weight=torch.tensor([1.0])))
print(torch.histogramdd(x.T, [2, 2, 2]), torch.histogramdd(x.T, 2, range=[0.0, 4.0, 0.0, 4.0, 0.0, 8.0]).hist, torch.histogramdd(x.T, bins=1, weight=torch.tensor([1.0, 2.0, 3.0, 4.0])))
print(torch.histogramdd(x.T, (torch.tensor([0.0, 1.0, 5.0]), torch.tensor([0.0, 5.0]), torch.tensor([0.0, 9.0])), density=True))
refused("too few bins", lambda: torch.histogramdd(x.T, [2, 2]))
refused("histogramdd of a row", lambda: torch.histogramdd(v, [2]))

for p in (2.0, 1, 0, inf, 3, 0.5):
    print("cdist", p, torch.cdist(x, x[:2], p=p))
    print("pdist", p, torch.pdist(x, p))
    print("dist", p, torch.dist(v, v * 2, p))
many, others = torch.arange(120.0).reshape(30, 4).sin(), torch.arange(120.0).reshape(30, 4).cos()
print(torch.cdist(many, others)[0, :4], torch.cdist(many, others, compute_mode="donot_use_mm_for_euclid_dist")[0, :4], torch.cdist(x, x, compute_mode="use_mm_for_euclid_dist"))
print(torch.cdist(x[None], x[None, :2]).shape, torch.cdist(x[:0], x).shape, torch.cdist(x.reshape(3, 1, 4), x.reshape(1, 3, 4)).shape, torch.pdist(x[:1]), torch.pdist(x[:0]))
refused("cdist of other columns", lambda: torch.cdist(x, x[:, :2]))
refused("cdist of a row", lambda: torch.cdist(v, x))
refused("cdist of integers", lambda: torch.cdist(x.long(), x))
refused("cdist below zero", lambda: torch.cdist(x, x, p=-1))
refused("an unknown mode", lambda: torch.cdist(x, x, compute_mode="bog"))
refused("pdist of a row", lambda: torch.pdist(v))
refused("pdist below zero", lambda: torch.pdist(x, -1))
refused("pdist of integers", lambda: torch.pdist(x.long()))
for p in (2.0, 1, inf, 3, 1.5):
    slopes(f"cdist {p}", lambda a, b: torch.cdist(a, b, p=p), x[:2, :2], x[1:, 1:3] + 0.25)
    slopes(f"pdist {p}", lambda a: torch.pdist(a, p), x[:, :2])
    slopes(f"dist {p}", lambda a, b: torch.dist(a, b, p), v[:3], v[2:] * 2)
leaf = x.clone().requires_grad_()
torch.cdist(leaf, leaf).sum().backward()
print(leaf.grad)
leaf = many.clone().requires_grad_()
torch.cdist(leaf, leaf).sum().backward()
print([round(g, 3) for g in leaf.grad[0].tolist()])
print(torch.dist(v, torch.tensor(1.0)), torch.dist(v, v * 2, -inf), v.dist(v.long()))

print(torch.renorm(x, 2, 0, 1.5), torch.renorm(x, 1, 1, 3), x.renorm(inf, 0, 2.0), torch.renorm(x, 0.5, -1, 5.0), x.clone().renorm_(2, 0, 1))
refused("renorm below zero", lambda: torch.renorm(x, -1, 0, 1))
refused("renorm along nothing", lambda: torch.renorm(x, 2, 5, 1))
refused("renorm of a row", lambda: torch.renorm(v, 2, 0, 1))
refused("renorm to less than nothing", lambda: torch.renorm(x, 2, 0, -1))
slopes("renorm", lambda a: torch.renorm(a, 2, 0, 3), x[:2])
