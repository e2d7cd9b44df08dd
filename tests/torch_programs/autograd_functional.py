import torch
from torch.autograd import functional


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


x, y = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 2.0, 3.0])
ones = torch.ones(3)


def vector(a):
    return torch.stack([a[0] * a[1], a[1] ** 2, a.exp().sum()])


def number(a):
    return (a ** 3).sum() + a[0] * a[1]


print(functional.jacobian(vector, x))
print(functional.jacobian(vector, x, vectorize=True).shape, functional.jacobian(vector, x, create_graph=True).requires_grad)
print(functional.jacobian(lambda a, b: (a * b, a.sum()), (x, y)))
print(functional.jacobian(lambda a: a.sum(), (x,)), functional.jacobian(lambda a: (a.sum(),), x))
print(functional.jacobian(lambda a, b: a, (x, y)), functional.jacobian(lambda a: a.view(2, 2) @ a.view(2, 2), torch.arange(4.0)).shape)
print(functional.jacobian(lambda a, b: (a * b, a.sum()), (x, y), strategy="forward-mode", vectorize=True))
print(functional.jacobian(lambda a: a ** 2, x, strategy="forward-mode", vectorize=True) + 0.0)

print(functional.hessian(number, x), functional.hessian(number, x, create_graph=True).requires_grad)
print(functional.hessian(lambda a, b: (a * b).sum() + (a ** 2).sum(), (x, y)))
print(functional.hessian(number, x, vectorize=True, outer_jacobian_strategy="forward-mode").detach() + 0.0)
print(functional.hessian(lambda a: a.prod(), torch.tensor([1.0, 2.0, 3.0])))

print(functional.vjp(vector, x, ones), functional.vjp(lambda a: a.sum(), x))
print(functional.vjp(lambda a, b: (a * b, a), (x, y), (ones, 2 * ones)))
print(functional.jvp(vector, x, ones), functional.jvp(lambda a: a * 2, torch.tensor(3.0)))
print(functional.jvp(lambda a, b: (a * b, a), (x, y), (ones, 2 * ones)))
print(functional.vhp(number, x, y), functional.hvp(number, x, y))
print(functional.hvp(lambda a, b: (a * b).sum(), (x, y), (y, x)), functional.vhp(lambda a, b: (a * b).sum(), (x, y), (y, x)))
print(functional.vhp(lambda a: a ** 3, torch.tensor(2.0)), functional.hvp(lambda a: a ** 3, torch.tensor(2.0)))

# The graph goes on where it is wanted.
w = torch.ones(3, requires_grad=True)
value, product = functional.vjp(lambda a: a ** 2, w, ones, create_graph=True)
product.sum().backward()
print(value.requires_grad, product, w.grad)
_, product = functional.jvp(lambda a: a ** 3, w, ones, create_graph=True)
print(torch.autograd.grad(product.sum(), w))
_, product = functional.hvp(lambda a: (a ** 4).sum(), w, ones, create_graph=True)
print(torch.autograd.grad(product.sum(), w))
_, product = functional.vhp(lambda a: (a ** 4).sum(), w, ones, create_graph=True)
print(torch.autograd.grad(product.sum(), w))
print(torch.autograd.grad(functional.jacobian(lambda a: a ** 3, w, create_graph=True).sum(), w))
print(torch.autograd.grad(functional.hessian(lambda a: (a ** 4).sum(), w, create_graph=True).sum(), w))
with torch.no_grad():
    print(functional.jacobian(lambda a: a ** 2, w).requires_grad, functional.vjp(lambda a: a ** 2, w, ones)[1])


# A network's, against differences.
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)).double()
at = torch.tensor([0.1, -0.2, 0.3], dtype=torch.float64)
jacobian = functional.jacobian(net, at)
steps = 1e-6 * torch.eye(3, dtype=torch.float64)
by_steps = torch.stack([(net(at + d) - net(at - d)) / 2e-6 for d in steps], 1)
print(torch.allclose(jacobian, by_steps, atol=1e-8), [round(v, 4) for v in jacobian.flatten().tolist()])
hessian = functional.hessian(lambda a: net(a).pow(2).sum(), at)
print(torch.allclose(hessian, hessian.T), [round(v, 4) for v in hessian.flatten().tolist()])
v = torch.tensor([1.0, -1.0, 0.5], dtype=torch.float64)
print(torch.allclose(functional.hvp(lambda a: net(a).pow(2).sum(), at, v)[1], hessian @ v))
print(torch.allclose(functional.jvp(net, at, v)[1], jacobian @ v))


# Strict, and what goes wrong.
def constant(a):
    return torch.ones(2)


for name, call in (
    ("jacobian", lambda **k: functional.jacobian(constant, x, **k)),
    ("vjp", lambda **k: functional.vjp(constant, x, torch.ones(2), **k)),
    ("jvp", lambda **k: functional.jvp(constant, x, ones, **k)),
    ("hessian of a sum", lambda **k: functional.hessian(lambda a: a.sum(), x, **k)),
    ("hessian of a constant", lambda **k: functional.hessian(lambda a: torch.ones(()), x, **k)),
    ("hvp", lambda **k: functional.hvp(lambda a: a.sum(), x, y, **k)),
    ("vhp", lambda **k: functional.vhp(lambda a: a.sum(), x, y, **k)),
    ("jacobian of one", lambda **k: functional.jacobian(lambda a, b: a, (x, y), **k)),
    ("vjp of one", lambda **k: functional.vjp(lambda a, b: a, (x, y), ones, **k)),
    ("jvp of a line", lambda **k: functional.jvp(lambda a: a * 2, x, y, create_graph=True, **k)[1].detach()),
    ("vjp of a line", lambda **k: functional.vjp(lambda a: a * 2, x, y, create_graph=True, **k)[1].detach()),
    ("jacobian of a line", lambda **k: functional.jacobian(lambda a: a * 2, x, create_graph=True, **k).detach()),
):
    attempt(name, call)
    attempt(f"{name}, strict", lambda: call(strict=True))
attempt("input", lambda: functional.jacobian(vector, 3))
attempt("output", lambda: functional.jacobian(lambda a: 3, x))
attempt("inputs", lambda: functional.vjp(vector, (x, 3)))
attempt("no v", lambda: functional.vjp(vector, x))
attempt("no v", lambda: functional.jvp(vector, x))
attempt("no v", lambda: functional.hvp(number, x))
attempt("size of v", lambda: functional.vjp(vector, x, torch.ones(2)))
attempt("size of v", lambda: functional.vjp(lambda a: (a, a), x, (ones, torch.ones(2))))
attempt("length of v", lambda: functional.vjp(lambda a: (a, a), x, ones))
attempt("length of v", lambda: functional.vjp(vector, x, (ones, ones)))
attempt("hessian of a vector", lambda: functional.hessian(vector, x))
attempt("hessian of two", lambda: functional.hessian(lambda a: (a.sum(), a.sum()), x))
attempt("hvp of a vector", lambda: functional.hvp(vector, x, y))
attempt("vhp of a tuple", lambda: functional.vhp(lambda a: (a.sum(),), x, y))
attempt("strategy", lambda: functional.jacobian(vector, x, strategy="sideways"))
attempt("strategy", lambda: functional.hessian(number, x, outer_jacobian_strategy="sideways"))
attempt("forward", lambda: functional.jacobian(vector, x, strategy="forward-mode"))
attempt("forward", lambda: functional.jacobian(vector, x, strategy="forward-mode", create_graph=True))
attempt("forward", lambda: functional.jacobian(vector, x, strategy="forward-mode", strict=True))
attempt("vectorize", lambda: functional.jacobian(vector, x, strict=True, vectorize=True))
