import torch

x = torch.arange(6.0).reshape(3, 2)


def attempt(name, action):
    try:
        action()
        print(name, "is done")
    except Exception as error:
        print(name, type(error).__name__)
        # PyTorch's own words; Python words the others.
        if type(error) in (TypeError, RuntimeError):
            print("  ", error)


def item(key):
    def action():
        del x[key]

    return action


for name, key in [
    ("number", 0), ("slice", slice(0, 2)), ("ellipsis", ...), ("none", None), ("tuple", (0, 1)),
    ("mask", x > 2), ("list", [0, 1]), ("tensor", torch.tensor(1)), ("text", "a"),
]:
    attempt(name, item(key))


def attribute(name):
    return lambda: delattr(x, name)


for name in [
    "grad", "data", "requires_grad", "shape", "dtype", "T", "mT", "is_leaf", "grad_fn", "device", "ndim",
    "retains_grad", "_version", "nothing",
]:
    attempt(name, attribute(name))
for name in ["shape", "dtype", "T", "is_leaf", "grad_fn", "device", "ndim", "_version"]:
    attempt("set " + name, lambda: setattr(x, name, 1))
attempt("data", lambda: setattr(x, "data", None))
attempt("requires_grad", lambda: setattr(x, "requires_grad", None))

w = torch.ones(2, requires_grad=True)
(w * 2).sum().backward()
del w.grad
print(w.grad)
(w * 3).sum().backward()
print(w.grad)
w.note = "own"
del w.note
attempt("note", lambda: w.note)
print(x)
