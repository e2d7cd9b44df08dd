import torch

# A leaf that was written in place is one leaf.
x = torch.tensor(1.0, requires_grad=True)
y = 2 * x
with torch.no_grad():
    x.add_(1)
z = 3 * x
print(torch.autograd.grad(y + z, x, retain_graph=True))
(y + z).backward()
print(x.grad)

b = torch.ones(2).detach().requires_grad_()
optimizer = torch.optim.SGD([b], lr=0.1)
before = b * 2
(b * b).sum().backward()
optimizer.step()
print(b, b.is_leaf, b.grad)
print(torch.autograd.grad((before + b * 5).sum(), b))

# A hook of a leaf sees the whole gradient once.
v = torch.ones(3, requires_grad=True)
seen = []
v.register_hook(lambda g: seen.append(g.tolist()))
y = v * 2
with torch.no_grad():
    v.mul_(3)
(y + v * v).sum().backward()
print(seen, v.grad)

# Full slices are views of their own.
p = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
q = p[:]
seen = []
q.register_hook(lambda g: seen.append("q"))
(p * 2).sum().backward()
print(seen, q.is_leaf, q.requires_grad, q is p)
(q * 2).sum().backward()
print(seen, p.grad)
for part in (p[:], p[...], p[0:3], p[()]):
    print(part.grad_fn.name())
n = torch.zeros(2, 2)
n[:][0] = 1
n[...].add_(1)
print(n)

# A write to a part of a detached tensor is recorded for it alone.
p = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
a = torch.zeros(3)
d = a.detach()
d[0] = p[0] * 2
print(d, a, d.requires_grad, a.requires_grad)
d.sum().backward()
print(p.grad)
a.add_(1)
print(d, a)
d = a.detach()
d += p
print(d.requires_grad, a.requires_grad, a)
d[1:].mul_(2)
p.grad = None
d.sum().backward()
print(p.grad, d, a)

# Gradients of a result that was written behind the tape's back belong to the result.
y = torch.exp(torch.tensor([0.0, 1.0], requires_grad=True))
w = y * 2
y.detach().add_(1)
print(y)
print(torch.autograd.grad((w + 3 * y).sum(), y))
y = torch.tensor([1.0, 2.0], requires_grad=True) * 1
y.retain_grad()
w = y * 2
y.detach().add_(1)
(w + y * 5).sum().backward()
print(y.grad)

# Writes through .data are no version bump, and gradient rules read the new value.
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
x.data.mul_(10)
print(x._version, x)
y.sum().backward()
print(x.grad)
for _ in range(3):
    x.data = x.data - 0.1 * x
print(x, x._version)
m = torch.nn.Linear(2, 1, bias=False)
with torch.no_grad():
    m.weight.fill_(1.0)
loss = m(torch.tensor([[1.0, 2.0]])).sum()
m.weight.data.sub_(0.5)
loss.backward()
print(m.weight.grad, m.weight.data)
