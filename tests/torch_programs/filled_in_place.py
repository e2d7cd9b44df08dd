# zero_, fill_ and one number in a place: what the tape notes of them, and what flows back.
import torch


def names(function):
    return [None if f is None else f.name().split("::")[-1] for f, _ in function.next_functions]


def tell(name, write):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = torch.tensor(5.0, requires_grad=True)
    y = x * 2
    write(y, v)
    print(name, y.tolist(), y._version, y.grad_fn.name().split("::")[-1], names(y.grad_fn)[0])
    (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    print(x.grad, v.grad)


y = torch.ones(2, requires_grad=True) * 2
v = torch.tensor(5.0, requires_grad=True)
print(names(y.clone().zero_().grad_fn), names(y.clone().fill_(2).grad_fn), names(y.clone().fill_(v).grad_fn))
tell("zero_", lambda y, v: y.zero_())
tell("fill_", lambda y, v: y.fill_(2))
tell("fill_ of a tensor", lambda y, v: y.fill_(torch.tensor(2)))
tell("fill_ of a variable", lambda y, v: y.fill_(v))
tell("copy_", lambda y, v: y.copy_(torch.zeros(3)))
tell("everything", lambda y, v: y.__setitem__(slice(None), 0.5))
tell("zero_ of a part", lambda y, v: y[1:].zero_())
tell("fill_ of a part", lambda y, v: y[1:].fill_(v))
tell("one place", lambda y, v: y.__setitem__(1, 0.5))

v = torch.tensor(5.0, requires_grad=True)
y = torch.zeros(2, 3)
print(y.fill_(v), y.grad_fn.name(), names(y.grad_fn))
(y * y).sum().backward()
print(v.grad, torch.zeros(2).fill_(3).grad_fn, torch.ones(2).zero_().grad_fn)

# A second derivative goes through what was not written over.
x = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
y = x**3
y[1:].fill_(v * v)
(first,) = torch.autograd.grad((y * x).sum(), x, create_graph=True)
print(first, torch.autograd.grad(first.sum(), (x, v)))

print(torch.ones(3, dtype=torch.long).fill_(7), torch.ones(2, dtype=torch.bool).zero_(), torch.zeros(2).fill_(True))
print(torch.zeros(2, dtype=torch.float16).fill_(1.5), torch.zeros(2, 0).fill_(1).shape, torch.tensor(2.0).zero_())
print(torch.zeros(2, dtype=torch.long).fill_(torch.tensor(2.7)), torch.ones(2, 3).t().zero_().sum())
w = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print(w.zero_(), w.fill_(4))
for call in (
    lambda: w.zero_(),
    lambda: w.fill_(1),
    lambda: torch.zeros(2).fill_(torch.ones(2)),
    lambda: torch.zeros(2).fill_("1"),
    lambda: torch.zeros(2).fill_(),
):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__)
