import torch

x = torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])
print(x.add_(1))
print(x.mul_(2).sub_(torch.tensor([1.0, 2.0, 3.0])))
print(x.div_(2))
print(x.abs_())
print(x.clamp_(1.0, 4.0))
print(x.masked_fill_(x > 3, 0.0))
print(x.copy_(torch.tensor([7.0, 8.0, 9.0])))
x[0] = torch.tensor([1.0, 2.0, 3.0])
x[:, 1] += 10
x[x > 10] = -1.0
x[1, 1:] = 0
print(x)
x[torch.tensor([0, 1]), torch.tensor([2, 0])] = torch.tensor([50.0, 60.0])
print(x)
x[..., 0] = 4
print(x.neg_().exp_().sqrt_())
y = torch.arange(5)
y[1:4] = torch.tensor([9, 8, 7])
y[-1] = y[0] + 100
y **= 2
print(y)
y[[0, 2]] = 5
print(y)
print(y.zero_(), y.fill_(3))
same = y
y += 1
print(same is y, same)
y = y + 1
print(same is y, same)
