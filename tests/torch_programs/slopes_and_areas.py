"""Differences, slopes, areas, powers of numbers side by side."""
import torch

x = torch.tensor([[1.0, 3.0, 2.0, 4.0], [2.0, -1.0, 0.5, 8.0], [0.0, 1.0, 7.0, 2.0]])
v, places = torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0]), torch.tensor([0.0, 1.0, 3.0, 4.0, 6.0])


def refused(name, call):
    try:
        print(name, "was taken:", call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def kind(name, call):
    try:
        call()
        print(name, "was taken")
    except Exception as error:
        print(name, type(error).__name__)


def slopes(name, f, *xs):
    leaves = [each.clone().requires_grad_() for each in xs]
    y = f(*leaves)
    y = torch.cat([each.reshape(-1) for each in y]) if isinstance(y, tuple) else y
    first = torch.autograd.grad((y * y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum(), leaves, create_graph=True)
    print(name, "first", [[round(n, 3) for n in g.flatten().tolist()] for g in first])
    again = torch.autograd.grad(sum((g * torch.arange(1.0, g.numel() + 1).reshape(g.shape)).sum() for g in first), leaves)
    print(name, "second", [[round(n, 3) for n in g.flatten().tolist()] for g in again])


print(torch.diff(v), torch.diff(v, 2), torch.diff(x, dim=0), v.diff(prepend=torch.tensor([0.0])), torch.diff(v, append=torch.tensor([9.0, 9.0]), prepend=torch.tensor([0.0])))
print(torch.diff(torch.tensor([True, False, False])), torch.diff(v, 7), torch.diff(v, 0), torch.diff(torch.tensor([1, 2], dtype=torch.uint8)), torch.diff(x, n=2, dim=1), torch.diff(v, out=torch.empty(4)))
refused("diff of a number", lambda: torch.diff(torch.tensor(1.0)))
refused("fewer than no times", lambda: torch.diff(v, -1))
refused("prepended of other dimensions", lambda: torch.diff(v, prepend=torch.tensor([[1.0]])))
refused("prepended of another size", lambda: torch.diff(x, prepend=torch.tensor([[1.0, 2.0]])))
slopes("diff", lambda a, b: torch.diff(a, 2, prepend=b), v, v[:1])

for result in (
    torch.gradient(v), torch.gradient(v, spacing=2.0), torch.gradient(v, spacing=(places,)), torch.gradient(x), torch.gradient(x, dim=1), torch.gradient(x, spacing=[2.0, 0.5]),
    torch.gradient(x, dim=(0,), spacing=3), torch.gradient(v, edge_order=2), torch.gradient(v, spacing=(places,), edge_order=2), torch.gradient(x, spacing=(places[:3],), dim=0),
    torch.gradient(torch.tensor([1, 4, 9])), torch.gradient(x, spacing=(places[:3], places[:4]), edge_order=2), torch.gradient(x, dim=-1, edge_order=2),
):
    print(result)
refused("slope of one point", lambda: torch.gradient(torch.tensor([1.0])))
refused("slope of two points", lambda: torch.gradient(torch.tensor([1.0, 2.0]), edge_order=2))
refused("order three", lambda: torch.gradient(v, edge_order=3))
refused("one spacing of two", lambda: torch.gradient(x, spacing=[1.0]))
refused("a dimension twice", lambda: torch.gradient(x, dim=(0, 0)))
kind("a word for a spacing", lambda: torch.gradient(v, spacing="a"))
slopes("gradient", lambda a: torch.gradient(a, spacing=(places,), edge_order=2), v)
slopes("gradient of a matrix", lambda a: torch.gradient(a), x[:2])

print(torch.trapezoid(v), torch.trapezoid(v, dx=0.5), torch.trapezoid(v, places), torch.trapezoid(x, dim=0), torch.trapezoid(x, places[:4]), torch.trapezoid(x, x * 2), torch.trapezoid(torch.tensor([1, 2, 3])))
print(torch.trapz(v), torch.trapz(v, dx=2), torch.trapz(x, x), torch.trapezoid(torch.tensor([1.0])), torch.trapezoid(torch.tensor([1, 2, 3]), dx=2), torch.trapezoid(x, places[:3], dim=0), torch.trapz(y=v))
refused("area of a number", lambda: torch.trapezoid(torch.tensor(1.0)))
refused("too few places", lambda: torch.trapezoid(v, places[:2]))
refused("area of bools", lambda: torch.trapezoid(torch.tensor([True])))
kind("both x and dx", lambda: torch.trapezoid(v, v, dx=1))
slopes("trapezoid", lambda y, x: torch.trapezoid(y, x), x, x.flip(0))
print(torch.cumulative_trapezoid(v), torch.cumulative_trapezoid(v, dx=2), torch.cumulative_trapezoid(v, places), torch.cumulative_trapezoid(x, dim=0), torch.cumulative_trapezoid(torch.tensor([1, 2, 3])))
slopes("cumulative_trapezoid", lambda y, x: torch.cumulative_trapezoid(y, x), v, places)
print(torch.vander(v), torch.vander(v, 3), torch.vander(v, 2, increasing=True), torch.vander(torch.tensor([1, 2, 3])), torch.vander(v, 0).shape, torch.vander(v[:0]), torch.vander(v, N=1))
refused("vander of a matrix", lambda: torch.vander(x))
refused("vander below zero", lambda: torch.vander(v, -1))

for window in (
    torch.hann_window(5), torch.hann_window(5, False), torch.hann_window(1), torch.hann_window(0), torch.hamming_window(5), torch.hamming_window(5, True, 0.5, 0.5),
    torch.hamming_window(4, periodic=False, alpha=0.6, beta=0.4), torch.blackman_window(5), torch.blackman_window(4, False), torch.bartlett_window(5), torch.bartlett_window(4, False),
    torch.kaiser_window(5), torch.kaiser_window(6, False, 4.0), torch.kaiser_window(1), torch.kaiser_window(4, True, beta=20.0), torch.kaiser_window(0), torch.kaiser_window(5, False, 0.0),
    torch.hann_window(4, dtype=torch.float64), torch.bartlett_window(4, requires_grad=True), torch.kaiser_window(7, dtype=torch.float64), torch.hann_window(4, device="cpu", dtype=torch.float64) * 1e6,
):
    print(window)
refused("a window below zero", lambda: torch.hann_window(-1))
refused("half a window", lambda: torch.hann_window(3.5))
kind("a window of integers", lambda: torch.hann_window(3, dtype=torch.int64))
