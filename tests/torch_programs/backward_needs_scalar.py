import torch


def attempt(name, action):
    try:
        action()
        print(name, "ok")
    except Exception as error:
        print(name, type(error).__name__)


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
attempt("vector", lambda: (x * 2).backward())
attempt("vector with gradient", lambda: (x * 2).backward(torch.tensor([1.0, 0.0, -1.0])))
print(x.grad)
attempt("wrong shape", lambda: (x * 2).backward(torch.ones(2)))
attempt("one element", lambda: (x[:1] * 2).backward())
print(x.grad)
attempt("no graph", lambda: torch.ones(3).sum().backward())
attempt("integers", lambda: torch.tensor([1, 2], requires_grad=True))
attempt("comparison", lambda: (x > 1).sum().backward())
attempt("on the leaf itself", lambda: x.sum().backward())
y = torch.tensor(4.0, requires_grad=True)
y.backward()
print(y.grad)
