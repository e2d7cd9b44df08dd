import torch


def attempt(name, action):
    try:
        action()
        print(name, "ok")
    except Exception as error:
        print(name, type(error).__name__)


w = torch.tensor([1.0, 2.0], requires_grad=True)
attempt("add_ on a leaf", lambda: w.add_(1))
attempt("mul_ on a view of a leaf", lambda: w[0].mul_(2))
attempt("assignment into a leaf", lambda: w.__setitem__(0, 5.0))
print(w)
with torch.no_grad():
    attempt("add_ under no_grad", lambda: w.add_(1))
    attempt("a view under no_grad", lambda: w[0].mul_(10))
print(w)
attempt("add_ on detach", lambda: w.detach().sub_(1))
print(w)
attempt("add_ on data", lambda: w.data.zero_())
print(w)
attempt("add_ on a result", lambda: (w * 1).add_(1))
attempt("add_ on a plain leaf", lambda: torch.zeros(2).add_(1))
v = torch.zeros(2)
v.add_(w)
print(v.requires_grad, v.is_leaf)
