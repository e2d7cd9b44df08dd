import torch

a = torch.tensor([1.0, 2.0])
b = torch.tensor([3.0, 4.0], requires_grad=True)
print(a.requires_grad, b.requires_grad, (a + a).requires_grad, (a + b).requires_grad)
print(a.is_leaf, b.is_leaf, (a + a).is_leaf, (a + b).is_leaf)
print(a.grad_fn, (a + a).grad_fn, (a + b).grad_fn.name())
print((b > 1).requires_grad, b.argmax().requires_grad, b.long().requires_grad, b.double().requires_grad)
print(b.shape, b.view(2, 1).grad_fn.name(), b.sum().grad_fn.name(), (b * 2).grad_fn.name())
a.requires_grad_()
print(a.requires_grad)
a.requires_grad = False
print(a.requires_grad)
try:
    (b * 2).requires_grad = False
except Exception as error:
    print(type(error).__name__)
try:
    torch.tensor([1]).requires_grad_()
except Exception as error:
    print(type(error).__name__)
y = torch.zeros(2)
print(y.requires_grad, y.is_leaf)
y[0] = b[0] * 2
print(y.requires_grad, y.is_leaf, y)
z = torch.stack([b[0], b[1] * 2])
print(z)
