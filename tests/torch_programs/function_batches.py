from functools import partial

import torch
from torch.func import grad, jacrev, vmap


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


x, y = torch.arange(6.0).view(2, 3), torch.arange(6.0).view(2, 3) + 1
two = torch.tensor(2.0)

print(vmap(torch.dot)(x, y), torch.vmap(torch.dot)(x, y), torch.vmap is vmap, vmap(torch.dot).__name__)
print(vmap(torch.mul, in_dims=(0, None))(x, two), vmap(torch.dot, in_dims=(1, 1))(x, y), vmap(torch.dot, (0, None))(x, y[0]))
print(vmap(torch.sum, in_dims=-1)(x), vmap(lambda a: a, in_dims=1, out_dims=-1)(x))
print(vmap(lambda a: a * 2, out_dims=1)(x), vmap(lambda a: (a.sum(), a), out_dims=(0, 1))(x))
print(vmap(lambda a: {"sum": a.sum(), "list": [a]}, in_dims=1)(x))
print(vmap(lambda d: d["a"] + d["b"], in_dims=({"a": 0, "b": None},))({"a": x, "b": y[0]}))
print(vmap(lambda p: p[0] * p[1], in_dims=((0, 1),))((x, y.T)), vmap(lambda l: l[0] + l[1])([x, y]))
print(vmap(vmap(torch.mul, in_dims=(0, None)), in_dims=(None, 0))(x[0], y[0]), vmap(vmap(lambda a: a ** 2))(x))
print(vmap(lambda a, k=1: a * k)(x, k=3), vmap(lambda a, b: a * b, in_dims=(0, None))(x, 3))
print(vmap(lambda a: a.max(0))(x), vmap(lambda a: torch.ones(2))(x), vmap(partial(torch.add, two))(x))
print(vmap(lambda a: (a.sum(), "text"), out_dims=(0, None))(x), vmap(lambda a: a.sum(), chunk_size=1)(x))
print(vmap(lambda a: a)(torch.ones(0, 3)).shape, vmap(lambda a: a.sum(), out_dims=0)(torch.ones(0, 3)).shape)
print(vmap(lambda a: torch.where(a > 2, a, -a))(x), vmap(lambda a, i: a[i], in_dims=(0, None))(x, 1))
print(vmap(torch.matmul)(torch.ones(2, 3, 4), torch.ones(2, 4, 5)).shape, vmap(torch.nn.functional.softmax, (0, None))(x, -1).sum(-1))

weight = torch.ones(3, requires_grad=True)
out = vmap(lambda a: (a * weight).sum())(x)
out.sum().backward()
print(out.requires_grad, weight.grad)
print(vmap(grad(lambda a: (a ** 3).sum()))(x), grad(lambda a: vmap(torch.sin)(a).sum())(x))
print(jacrev(vmap(torch.sin))(x).shape, vmap(jacrev(torch.sin))(x).shape, vmap(jacrev(lambda a: a ** 2))(x))
inside = x.clone()
vmap(lambda a: a.mul_(2))(inside)
print(inside)

# Random numbers: the same for each, one after the other, or none.
for randomness in ("same", "different"):
    torch.manual_seed(0)
    print(vmap(lambda a: a + torch.rand(()), randomness=randomness)(x), torch.rand(2))
    torch.manual_seed(0)
    print(vmap(lambda a: torch.nn.functional.dropout(a), randomness=randomness)(torch.ones(3, 4)))
torch.manual_seed(0)
attempt("error", lambda: vmap(lambda a: a + torch.rand(()))(x))
print(torch.rand(1))

attempt("nothing", lambda: vmap(torch.sin)())
attempt("in_dims", lambda: vmap(torch.mul, in_dims=(0,))(x, y))
attempt("in_dims", lambda: vmap(torch.sin, in_dims=3)(x))
attempt("in_dims", lambda: vmap(torch.sin, in_dims=[0])(x))
attempt("in_dims", lambda: vmap(torch.sin, in_dims=("a",))(x))
attempt("in_dims", lambda: vmap(torch.sin, in_dims=None)(x))
attempt("in_dims", lambda: vmap(torch.sin, in_dims=(None,))(x))
attempt("in_dims", lambda: vmap(lambda d: d["a"], in_dims=({"b": 0},))({"a": x}))
attempt("sizes", lambda: vmap(torch.mul)(x, y.T))
attempt("number", lambda: vmap(torch.mul)(x, 3.0))
attempt("number", lambda: vmap(torch.sin)(torch.tensor(1.0)))
attempt("result", lambda: vmap(lambda a: 3.0)(x))
attempt("results", lambda: vmap(lambda a: (a, "text"))(x))
attempt("out_dims", lambda: vmap(lambda a: a, out_dims=(0, 1))(x))
attempt("out_dims", lambda: vmap(lambda a: (a, a), out_dims=(0, 1, 1))(x))
attempt("out_dims", lambda: vmap(lambda a: a, out_dims="a")(x))
attempt("randomness", lambda: vmap(torch.sin, randomness="some"))
attempt("chunks", lambda: vmap(torch.sin, chunk_size=0))
