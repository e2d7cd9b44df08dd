import torch
from torch.func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


x, y, ones = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 2.0, 3.0]), torch.ones(3)


def number(a, b):
    return (a * b).sum() + (a ** 2).sum()


def pair(a, b):
    return torch.stack([a[0] * b[1], a[1] ** 2 * b[0]])


print(grad(number)(x, y), grad(number, argnums=1)(x, y), grad(number, argnums=-1)(x, y))
print(grad(number, argnums=(0, 1))(x, y), grad(torch.sin)(torch.tensor(0.0)))
print(grad(grad(torch.sin))(torch.tensor(1.0)), grad(grad(grad(torch.sin)))(torch.tensor(1.0)))
print(grad(lambda a: ((a ** 2).sum(), a * 2), has_aux=True)(x))
print(grad_and_value(number)(x, y))
print(grad_and_value(lambda a: ((a ** 2).sum(), {"sum": a.sum()}), has_aux=True)(x))
print(grad(lambda p: (p["w"] * p["b"][0]).sum())({"w": x, "b": (y,)}))
print(grad(lambda a, *, power: (a ** power).sum())(x, power=3), grad(lambda a, flag: a.sum() * flag)(x, 2))
print(grad(lambda a: torch.ones(()))(x), grad(lambda a, b: b.sum(), argnums=(0, 1))(x, y))

value, pull = vjp(lambda a, b: (a * b, a.sum()), x, y)
print(value, pull((ones, torch.tensor(2.0))))
value, pull, more = vjp(lambda a: (a ** 2, a + 1), x, has_aux=True)
print(value, pull(ones), pull(2 * ones), more)
value, pull = vjp(lambda d: {"r": d["a"] ** 2}, {"a": x})
print(value, pull({"r": ones}))

print(jvp(lambda a, b: (a * b, a.sin()), (x, y), (ones, x)))
print(jvp(lambda a: (a ** 2, a + 1), (x,), (ones,), has_aux=True), jvp(lambda a: torch.ones(2), (x,), (ones,)))
value, along = linearize(lambda a, b: {"product": a * b}, x, y)
print(value, along(ones, torch.zeros(3)), along(torch.zeros(3), ones))

print(jacrev(pair)(x, y), jacrev(pair, argnums=(0, 1))(x, y), jacfwd(pair, argnums=1)(x, y) + 0.0)
print([tuple(each.shape) for each in jacfwd(pair, argnums=(0, 1))(x, y)])
print(jacrev(lambda a: {"u": a ** 2, "v": (a.sum(),)})(x))
weights = {"w": torch.ones(2, 3), "b": torch.zeros(2)}
print({name: tuple(each.shape) for name, each in jacrev(lambda p, a: p["w"] @ a + p["b"])(weights, x).items()})
print({name: tuple(each.shape) for name, each in jacfwd(lambda p, a: p["w"] @ a + p["b"])(weights, x).items()})
print(jacrev(lambda a: (a ** 2, a.sum()), has_aux=True)(x), jacfwd(lambda a: (a ** 2, a.sum()), has_aux=True)(x))
print(jacrev(lambda a: a ** 2, chunk_size=2)(x), jacfwd(lambda a: a ** 2, randomness="same")(x) + 0.0)
print(jacfwd(lambda a: a.sum())(torch.tensor(2.0)), jacrev(lambda a: a * 2)(torch.tensor(2.0)))
print(jacrev(lambda a: a.view(2, 2) @ a.view(2, 2))(torch.arange(4.0)))
print(hessian(number)(x, y), hessian(lambda a: (a ** 3).sum() * a[0])(x))
blocks = hessian(number, argnums=(0, 1))(x, y)
print(blocks[0][1], blocks[1][0], blocks[1][1])
print(jacrev(jacfwd(lambda a: (a ** 3).sum()))(x), jacfwd(jacrev(lambda a: (a ** 3).sum()))(x) + 0.0)

# What else is on the tape stays on it; what the transform alone put there does not.
weight = torch.ones(3, requires_grad=True)
print(grad(lambda a: (a ** 2).sum())(x).requires_grad, jacrev(lambda a: a * weight)(x).requires_grad)
slope = grad(lambda a: (a ** 2 * weight).sum())(x)
print(slope.requires_grad, torch.autograd.grad(slope.sum(), weight))
slope = grad(lambda a: (a ** 3).sum())(weight)
slope.sum().backward()
print(slope.requires_grad, weight.grad)
tangent = jvp(lambda a: a ** 2 * weight, (x,), (ones,))[1]
print(tangent.requires_grad, torch.autograd.grad(tangent.sum(), weight))
value, pull = vjp(lambda a: a ** 2, x)
seed = torch.ones(3, requires_grad=True)
print(value.requires_grad, pull(ones)[0].requires_grad, torch.autograd.grad(pull(seed)[0].sum(), seed))
with torch.no_grad():
    print(grad(lambda a: (a * weight).sum())(x).requires_grad, grad(lambda a: (a ** 2).sum())(weight))


def half_known(a):
    with torch.no_grad():
        fixed = a ** 2
    return (a * fixed).sum()


print(grad(half_known)(x), grad(lambda a: grad(lambda b: (b ** 3).sum())(a).sum())(x))


# A step of gradient descent inside a function that is differentiated.
def loss(w, a):
    return ((a * w) ** 2).mean()


def after_a_step(w):
    return w - 0.1 * grad(loss)(w, x)


print(grad(lambda w: loss(after_a_step(w), y))(torch.tensor(0.7)))
print(functionalize(lambda a: a.clone().add_(1).view(3))(x), functionalize(torch.sin, remove="mutations_and_views")(x))

attempt("vector", lambda: grad(lambda a: a)(x))
attempt("no tensor", lambda: grad(lambda a: 3.0)(x))
attempt("argument", lambda: grad(lambda a: a.sum())(3.0))
attempt("argnums", lambda: grad(lambda a: a.sum(), argnums=1)(x))
attempt("argnums", lambda: grad(lambda a: a.sum(), argnums=())(x))
attempt("argnums", lambda: grad(number, argnums=(0, 0))(x, y))
attempt("argnums", lambda: grad(lambda a: a.sum(), argnums="a")(x))
attempt("argnums", lambda: grad(lambda a: a.sum(), argnums=("a",))(x))
attempt("aux", lambda: grad(lambda a: a.sum(), has_aux=True)(x))
attempt("aux", lambda: vjp(lambda a: a.sum(), x, has_aux=True))
attempt("aux", lambda: jvp(lambda a: a, (x,), (ones,), has_aux=True))
attempt("cotangents", lambda: vjp(lambda a: (a, a), x)[1](ones))
attempt("cotangents", lambda: vjp(lambda a: {"k": [a]}, x)[1](ones))
attempt("result", lambda: vjp(lambda a: 3.0, x))
attempt("results", lambda: vjp(lambda a: (a, 3), x))
attempt("nothing", lambda: vjp(lambda a: (), x))
attempt("strict", lambda: jvp(lambda a: torch.ones(2), (x,), (ones,), strict=True))
attempt("primals", lambda: jvp(lambda a: a, x, x))
attempt("structure", lambda: jvp(lambda a: a, (x,), (x, x)))
attempt("tangents", lambda: jvp(lambda a: a, (x,), (3,)))
attempt("shape", lambda: along(torch.ones(2), ones))
attempt("dtype", lambda: along(ones.double(), ones))
attempt("count", lambda: along(ones))
attempt("chunk", lambda: jacrev(lambda a: a, chunk_size=0))
