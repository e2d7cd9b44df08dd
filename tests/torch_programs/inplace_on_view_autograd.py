import torch

# In-place writes through a view are part of the base's history.
x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x * 2
v = y[1:3]
v.mul_(3)
print(y)
print(v)
y.sum().backward()
print(x.grad)

# A view of a view, transposed.
x = torch.ones(2, 3, requires_grad=True)
y = x.clone()
y.t()[1:].mul_(torch.tensor([[2.0, 3.0], [4.0, 5.0]]))
print(y.detach())
y.sum().backward()
print(x.grad)

# Assignment cuts the gradient of what it overwrites and adds one to the value.
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
s = torch.tensor(10.0, requires_grad=True)
y = x * x
y[0] = s * 2
y[2] = 0
print(y.detach())
y.sum().backward()
print(x.grad, s.grad)

# A view made before the write reads the new values, and its gradient follows.
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
row = y.view(1, 2)
y.add_(10).mul_(2)
print(row.detach())
(row * torch.tensor([3.0, 4.0])).sum().backward()
print(x.grad)

# Two writes to overlapping parts.
x = torch.arange(4.0, requires_grad=True)
y = x + 0
y[:3] *= 2
y[1:] *= 3
y.sum().backward()
print(y.detach(), x.grad)
