import torch

x = torch.tensor([[1.0, 3.0, 2.0, 4.0], [2.0, -1.0, 0.5, 8.0]])
print(x.cumsum(dim=1), x.cumprod(dim=1))
print(torch.cummin(x, dim=1))
print(torch.logcumsumexp(x, dim=1))
print(torch.cumsum(torch.tensor([True, False, True, True]), dim=0), x[:, 1:] - x[:, :-1])
print(x.flip(1).cumsum(1).flip(1))

# Running mean and variance, Welford's way, against the closed forms.
data = torch.tensor([4.0, 7.0, 13.0, 16.0, 10.0])
mean, m2 = torch.tensor(0.0), torch.tensor(0.0)
for n, value in enumerate(data, 1):
    delta = value - mean
    mean = mean + delta / n
    m2 = m2 + delta * (value - mean)
print(mean, m2 / (n - 1), data.var(), data.var(correction=0), data.std())
print(data.cumsum(0) / torch.arange(1, 6))
print(torch.var_mean(x, dim=1), torch.std_mean(data))
print(x.mean(), x.mean(dim=0), x.sum(dim=(0, 1)), x.amax(dim=0), x.prod(dim=1), x.logsumexp(1))
print(x.norm(), x.norm(p=1), x.norm(dim=1), x.norm(p=float("inf"), dim=1), torch.count_nonzero(x > 1))
print(torch.tensor([1.0, float("nan"), 3.0]).max(), torch.tensor([1.0, float("nan")]).cummax(0).values)

# Standardised columns, their covariance, and a moving average.
z = (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)
print(z, z @ z.T / 3)
print(data.unfold(0, 3, 1).mean(-1), torch.histc(data, bins=3, min=4, max=16))
w = x.clone().requires_grad_()
w.cumsum(1).pow(2).sum().backward()
print(w.grad)
w.grad = None
w.cumprod(1)[:, -1].sum().backward()
print(w.grad)
print(w.cumsum(0), w.logsumexp(0), w.std(), w.var(1))
