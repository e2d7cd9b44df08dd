import torch


def attempt(name, action):
    try:
        action()
        print(name, "ok")
    except Exception as error:
        print(name, type(error).__name__)


def exp_then_write(write):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    write(y)
    y.sum().backward()
    print(x.grad is not None)


attempt("exp keeps its result", lambda: exp_then_write(lambda y: y.add_(1)))
attempt("a write through a view counts", lambda: exp_then_write(lambda y: y[0].zero_()))
attempt("a write through detach counts", lambda: exp_then_write(lambda y: y.detach().zero_()))
attempt("no write", lambda: exp_then_write(lambda y: None))


def product(change):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0])
    c = a * b
    change(a, b, c)
    c.sum().backward()
    print(a.grad)


attempt("mul keeps its inputs", lambda: product(lambda a, b, c: b.mul_(2)))
attempt("mul does not keep its result", lambda: product(lambda a, b, c: c.mul_(2)))


def total(change):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0])
    c = a + b
    change(b)
    c.sum().backward()
    print(a.grad)


attempt("add keeps nothing", lambda: total(lambda b: b.zero_()))

w = torch.tensor(2.0, requires_grad=True)
loss = w * w
with torch.no_grad():
    w.sub_(0.5)
attempt("a weight updated before backward", lambda: loss.backward())

x = torch.zeros(3)
print(x._version)
x.add_(1)
x[0] = 5
print(x._version)
view = x[1:]
view.mul_(2)
print(x._version, view._version, x.detach()._version)
print((x + 1)._version)
