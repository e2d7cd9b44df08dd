import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
d = y.detach()
print(d.requires_grad, d.is_leaf, d.grad_fn)
d[0] = 100.0
print(y.detach())
y.sum().backward()
print(x.grad)

x.grad = None
y = x * 2
(y * y.detach()).sum().backward()
print(x.grad)

z = (x * 3).detach().requires_grad_()
(z * z).sum().backward()
print(z.grad, x.grad)
n = x.detach().clone()
n.zero_()
print(x)
try:
    d.sum().backward()
except Exception as error:
    print(type(error).__name__)
x.data.fill_(7.0)
print(x)
