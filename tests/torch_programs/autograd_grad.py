import torch


def attempt(name, action):
    try:
        print(name, action())
    except Exception as error:
        print(name, type(error).__name__)


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
c = a * b
print(torch.autograd.grad(c.sum(), [a, b]))
print(a.grad, b.grad)
c = a * b
print(torch.autograd.grad(c, a, grad_outputs=torch.tensor([1.0, 10.0])))
c = a * 2
attempt("unused", lambda: torch.autograd.grad(c.sum(), [a, b], retain_graph=True))
attempt("allow_unused", lambda: torch.autograd.grad(c.sum(), [a, b], allow_unused=True))
attempt("not a scalar", lambda: torch.autograd.grad(a * 2, a))
attempt("needs no gradient", lambda: torch.autograd.grad(torch.ones(2).sum(), a))
# With respect to something in the middle.
h = a * b
loss = (h * h).sum()
print(torch.autograd.grad(loss, h))
# backward(inputs=...) fills only those.
loss = (a * b).sum()
loss.backward(inputs=[a])
print(a.grad, b.grad)
# Several outputs add up.
print(torch.autograd.grad([(a * 2).sum(), (a * 3).sum()], a))
