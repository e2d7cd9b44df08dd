import torch

row = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
column = torch.tensor([[10.0], [20.0]], requires_grad=True)
scalar = torch.tensor(2.0, requires_grad=True)
out = (row + column) * scalar
print(out)
out.sum().backward()
print(row.grad, column.grad, scalar.grad)

x = torch.tensor([1.0, 2.0], requires_grad=True)
x.expand(3, 2).sum().backward()
print(x.grad)
x.grad = None
x.unsqueeze(1).expand(2, 4).mean().backward()
print(x.grad)

# max over a dimension sends the gradient to the winner.
m = torch.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True)
values, indices = m.max(dim=1)
print(values, indices)
(values * torch.tensor([1.0, 2.0])).sum().backward()
print(m.grad)
m.grad = None
torch.where(m > 3, m * m, torch.zeros(())).sum().backward()
print(m.grad)
m.grad = None
m[[0, 0, 1], [1, 1, 0]].sum().backward()
print(m.grad)
