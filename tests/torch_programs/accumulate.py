import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x.grad)
(x * 3).sum().backward()
print(x.grad)
(x * x).sum().backward()
print(x.grad)
first = x.grad
(x * 1).sum().backward()
print(first is x.grad, first)
x.grad.zero_()
x.sum().backward()
print(x.grad)
x.grad = None
((x + x) * x).sum().backward()
print(x.grad)

# One tensor, several paths.
a = torch.tensor(3.0, requires_grad=True)
b = a * a
c = b + a
d = b * c
d.backward()
print(d.item(), a.grad)

# A leaf that the loss does not reach keeps None.
p = torch.tensor(1.0, requires_grad=True)
q = torch.tensor(1.0, requires_grad=True)
(p * 2).backward()
print(p.grad, q.grad)
# gradients have the dtype and the shape of their leaf.
m = torch.ones(2, 1, dtype=torch.float64, requires_grad=True)
(m * torch.ones(3)).sum().backward()
print(m.grad)
try:
    x.grad = torch.zeros(3)
except Exception as error:
    print(type(error).__name__)
