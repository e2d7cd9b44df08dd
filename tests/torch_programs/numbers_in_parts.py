"""Functions of single numbers: divisors, exponents, neighbours, and functions that end at the edge."""
import math
import torch

inf, nan = math.inf, math.nan


def show(name, x):
    if isinstance(x, torch.Tensor):
        print(name, x.dtype, tuple(x.shape), [v if isinstance(v, (int, bool)) else round(v, 4) if v == v else nan
                                              for v in x.flatten().tolist()])
    else:
        for each in x:
            show(name, each)


def refused(name, call):
    try:
        call()
        print(name, "was taken")
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def slopes(name, f, *xs):
    """First and second gradients."""
    xs = [x.clone().requires_grad_() if x.is_floating_point() else x for x in xs]
    leaves = [x for x in xs if x.requires_grad]
    y = f(*xs)
    y = y if isinstance(y, torch.Tensor) else y[0]
    first = torch.autograd.grad((y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum(), leaves, create_graph=True)
    show(name + "'", first)
    if any(g.requires_grad for g in first):
        again = torch.autograd.grad(sum((g * g).sum() for g in first), leaves, allow_unused=True)
        show(name + "''", [g for g in again if g is not None])


a, b = torch.tensor([12, -18, 0, 0, 7, 48]), torch.tensor([18, 12, 0, 5, 0, 36])
show("gcd", torch.gcd(a, b))
show("gcd small", torch.gcd(torch.tensor([12], dtype=torch.int8), torch.tensor([18], dtype=torch.uint8)))
show("gcd broadcast", torch.tensor([[4], [6]]).gcd(torch.tensor([8, 9, 10])))
show("lcm", torch.lcm(a, b))
show("gcd out", torch.gcd(a, b, out=torch.empty(6, dtype=torch.int64)))
show("gcd_", a.clone().gcd_(b))
show("lcm_", torch.lcm_(a.clone(), b))
print(torch.gcd(torch.tensor(2**62), torch.tensor(3 * 2**40)))
refused("gcd of floats", lambda: torch.gcd(torch.tensor([1.0]), torch.tensor([2])))
refused("gcd of bools", lambda: torch.gcd(torch.tensor([True]), torch.tensor([True])))
refused("gcd of numbers", lambda: torch.gcd(4, 6))
refused("gcd with a number", lambda: torch.gcd(torch.tensor(4), 6))
refused("gcd_ too wide", lambda: torch.tensor([1, 2]).gcd_(torch.tensor([[3], [4]])))

x = torch.tensor([0.0, 1.0, -3.5, 1e-42, inf, -inf, nan, 1e38, 2.0**-126, 0.1])
print(torch.frexp(x))
print(torch.frexp(torch.tensor([0.3, -0.0, 60000], dtype=torch.float16)))
print(torch.frexp(torch.tensor([0.3, 5e-324, 1e308], dtype=torch.float64)).exponent)
print(torch.tensor([0.3], dtype=torch.bfloat16).frexp().mantissa)
mantissa, exponent = torch.frexp(torch.tensor([10.0, 0.75]))
print(torch.ldexp(mantissa, exponent))
refused("frexp of integers", lambda: torch.frexp(torch.tensor([3])))
slopes("frexp", torch.frexp, torch.tensor([3.0, 5.0, 0.1]))
print(torch.ldexp(torch.tensor([1e-40, 1.0, 3.0, 1.0]), torch.tensor([140, 200, -150, -149])))
print(torch.ldexp(torch.tensor([1, 2]), torch.tensor([1, 2])), torch.ldexp(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 2.0])))
print(torch.ldexp(torch.tensor([1.0, 2.0], dtype=torch.float16), torch.tensor([1, 2])))
print(torch.tensor([1.0, 2.0]).ldexp_(torch.tensor([3])), torch.tensor([1.0], dtype=torch.float64).ldexp(torch.tensor([-1074])))
slopes("ldexp", torch.ldexp, torch.tensor([3.0, 5.0, 0.0]), torch.tensor([1, 2, 3]))
slopes("ldexp", torch.ldexp, torch.tensor([0.3, 0.5, -0.5]), torch.tensor([1.0, -1.0, 0.5]))
refused("ldexp with a number", lambda: torch.ldexp(torch.tensor([1.0]), 2))

here, there = torch.tensor([0.0, 1.0, -1.0, 0.0, 3e38, nan, 2.0, 1.0]), torch.tensor([1.0, 2.0, 0.0, -1.0, inf, 1.0, 2.0, nan])
print((torch.nextafter(here, there) - here).tolist())
print(torch.nextafter(torch.tensor([1.0], dtype=torch.float64), torch.tensor([2.0])).item() == 1.0000000000000002)
print(torch.nextafter(torch.tensor([1.0], dtype=torch.bfloat16), torch.tensor([2.0], dtype=torch.bfloat16)).float().item())
print(torch.tensor([1.0, 2.0]).nextafter_(torch.tensor([3.0])) > torch.tensor([1.0, 2.0]))
refused("nextafter of integers", lambda: torch.nextafter(torch.tensor([1]), torch.tensor([2])))
slopes("nextafter", torch.nextafter, torch.tensor([1.0, 2.0]), torch.tensor([2.0, 2.0]))
print(torch.nextafter(torch.tensor([1.0], requires_grad=True), torch.tensor([2.0])))

print(torch.heaviside(torch.tensor([0.0, 1.0, -1.0, nan, -0.0]), torch.tensor([0.5, 0.5, 0.5, 0.5, 0.25])))
print(torch.heaviside(torch.tensor([0, 1, -1]), torch.tensor([5])), torch.tensor([1.0, 0.0]).heaviside_(torch.tensor([3.0])))
refused("heaviside of two dtypes", lambda: torch.heaviside(torch.tensor([0.0]), torch.tensor([5])))
refused("slope of heaviside", lambda: torch.heaviside(torch.tensor([1.0], requires_grad=True), torch.tensor([2.0])).backward())
print(torch.heaviside(torch.tensor([1.0], requires_grad=True), torch.tensor([2.0])))

points = torch.tensor([0.0, 0.5, 1.0, 1e-4, 2.0, -0.25, inf, nan])
print(torch.sinc(points), torch.sinc(torch.tensor([0, 1])), torch.sinc(torch.tensor([True])))
print(torch.tensor([0.0, 0.5]).sinc_(), torch.sinc(torch.tensor([0.5], dtype=torch.float64)), torch.sinc(points[1].requires_grad_()))
slopes("sinc", torch.sinc, torch.tensor([0.5, 1.0, -0.25, 3.3]))
refused("sinc_ of integers", lambda: torch.sinc_(torch.tensor([1])))
refused("sinc of a list", lambda: torch.sinc([1]))
refused("sinc_ of a leaf", lambda: torch.ones(1, requires_grad=True).sinc_())
chances = torch.tensor([0.0, 0.25, 0.5, 1.0, -1.0, 2.0, nan])
print(torch.logit(chances), torch.logit(chances, 1e-3), torch.logit(chances, eps=0.6), torch.logit(torch.tensor([0, 1])))
print(torch.logit_(torch.tensor([1.0, 2.0]), 1e-3), torch.logit(torch.tensor([0.3], requires_grad=True)))
slopes("logit", torch.logit, torch.tensor([0.5, 0.2, 0.9]))
slopes("logit within", lambda x: torch.logit(x, 0.1), torch.tensor([0.5, 2.0, -1.0, 0.2, 0.9, 0.05]))
slopes("logit outside", torch.logit, torch.tensor([2.0, -1.0]))
pair = torch.tensor([1.0, 2.0, inf, -inf, 100.0, 1000.0]), torch.tensor([1.0, 3.0, inf, -inf, 0.0, 1000.0])
print(torch.logaddexp2(*pair), torch.logaddexp2(torch.tensor([1.0]), torch.tensor([2.0], dtype=torch.float64)))
slopes("logaddexp2", torch.logaddexp2, torch.tensor([0.0, 0.5, 3.0]), torch.tensor([1.0, 2.0, 0.0]))
refused("logaddexp2 of integers", lambda: torch.logaddexp2(torch.tensor([1]), torch.tensor([2])))
print(torch.float_power(torch.tensor([1, 2, 3]), 2), torch.float_power(2, torch.tensor([1, 2])), torch.float_power(torch.tensor([1.0, -2.0]), torch.tensor([0.5, 0.5])))
print(torch.tensor([1.0, 2.0], dtype=torch.float64).float_power_(3))
slopes("float_power", lambda x: torch.float_power(x, 3), torch.tensor([0.5, -1.0], dtype=torch.float64))
try:
    torch.float_power(2, 3)
except TypeError as error:
    print("float_power of numbers", str(error).split(" - ")[0])
print(torch.angle(torch.tensor([1.0, -1.0, 0.0, -0.0, nan])), torch.angle(torch.tensor([1, -1])), torch.angle(torch.tensor([True])))
slopes("angle", torch.angle, torch.tensor([0.5, -1.0]))
print(torch.rsub(torch.tensor([1.0, 2.0]), 5), torch.rsub(torch.tensor([1.0, 2.0]), torch.tensor([1, 2]), alpha=2), torch.rsub(torch.tensor([1]), 2.5))
slopes("rsub", lambda x: torch.rsub(x, x * x, alpha=2), torch.tensor([0.5, -1.0]))
print(torch.hash_tensor(torch.tensor([1.0, 2.0, 3.0])), torch.hash_tensor(torch.tensor([[1, 2], [3, 4]])), torch.hash_tensor(torch.tensor([[1, 2], [3, 4]]), dim=0))
print(torch.hash_tensor(torch.tensor([[1.5]], dtype=torch.float16), 1, keepdim=True), torch.tensor([-1], dtype=torch.int8).hash_tensor(), torch.hash_tensor(torch.tensor([True])), torch.hash_tensor(torch.arange(7).reshape(7, 1)))
print(torch.isposinf(torch.tensor([1.0, inf, -inf])), torch.isneginf(torch.tensor([1.0, inf, -inf])), torch.isposinf(torch.tensor([1, 2])), torch.tensor([True]).isneginf())
