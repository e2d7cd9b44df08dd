import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.retain_grad()
z = (y * y).sum()
z.backward()
print(y.grad, x.grad)

x.grad = None
seen = []
y = x * 3
handle = y.register_hook(lambda gradient: seen.append(gradient.tolist()))
y.sum().backward()
print(seen, x.grad)
handle.remove()

x.grad = None
y = x * 3
y.register_hook(lambda gradient: gradient * 10)
y.sum().backward()
print(x.grad)

x.grad = None
x.register_hook(lambda gradient: gradient + 1)
(x * 2).sum().backward()
print(x.grad)
