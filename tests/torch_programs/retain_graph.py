import torch


def attempt(name, action):
    try:
        action()
        print(name, "ok")
    except Exception as error:
        print(name, type(error).__name__)


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
attempt("first", lambda: y.backward(retain_graph=True))
attempt("second", lambda: y.backward())
print(x.grad)
attempt("third", lambda: y.backward())
print(x.grad)

# A graph that kept no tensors can be walked again.
x.grad = None
z = (x + 1).sum()
attempt("sum", lambda: z.backward())
attempt("sum again", lambda: z.backward())
print(x.grad)

# Two losses over one shared part.
x.grad = None
shared = x.exp()
a, b = shared.sum(), (shared * 2).sum()
attempt("one loss", lambda: a.backward())
attempt("the other", lambda: b.backward())
x.grad = None
shared = x * 3
a, b = (shared * shared).sum(), shared.sum()
a.backward(retain_graph=True)
b.backward()
print(x.grad)
