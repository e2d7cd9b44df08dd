import torch

# A view is another way to read the same bytes: a write through one is seen through all.
x = torch.arange(6)
m = x.view(2, 3)
column = m[:, 1]
flipped = m.t()
m[0, 0] = 100
print(x)
column.fill_(-1)
print(x)
print(m)
flipped[2, 1] = 7
print(m)
x += 1
print(column, flipped)
# reshape views where it can and copies where it must.
same = m.reshape(3, 2)
copied = m.t().reshape(6)
x.zero_()
print(same)
print(copied)
print(m.is_contiguous(), m.t().is_contiguous(), m.stride(), m.t().stride(), column.storage_offset())
# clone and flip never share.
y = torch.tensor([1.0, 2.0, 3.0])
z = y.clone()
f = y.flip(0)
y.mul_(10)
print(y, z, f)
# A row of an expanded tensor is every row.
e = torch.zeros(3)
wide = e.expand(2, 3)
e[1] = 5.0
print(wide)
# Diagonal blocks through chained views.
grid = torch.zeros(4, 4)
grid[1:3][:, 1:3].add_(1)
grid[::2, ::2].sub_(2)
print(grid)
grid.unbind(0)[3].fill_(9)
a, b = grid.split(2, dim=1)
b[0] += 0.5
print(grid)
