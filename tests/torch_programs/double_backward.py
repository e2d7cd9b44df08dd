import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3
(first,) = torch.autograd.grad(y, x, create_graph=True)
print(first.item(), first.requires_grad)
(second,) = torch.autograd.grad(first, x, create_graph=True)
print(second.item())
(third,) = torch.autograd.grad(second, x)
print(third.item(), third.requires_grad)

v = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
loss = (v.tanh() * v.sigmoid()).sum()
loss.backward(create_graph=True)
print(v.grad.detach())
penalty = (v.grad**2).sum()
(g,) = torch.autograd.grad(penalty, v)
print(g)

w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
u = torch.tensor([1.0, -1.0], requires_grad=True)
out = (w @ u).exp().sum()
(gw,) = torch.autograd.grad(out, w, create_graph=True)
(gu,) = torch.autograd.grad(gw.sum(), u)
print(gu)

# Hessian of a softmax cross-entropy, row by row.
logits = torch.tensor([1.0, 2.0, 0.5], requires_grad=True)
loss = torch.logsumexp(logits, dim=0) - logits[1]
(g,) = torch.autograd.grad(loss, logits, create_graph=True)
rows = [torch.autograd.grad(g[i], logits, retain_graph=True)[0] for i in range(3)]
print(torch.stack(rows))
