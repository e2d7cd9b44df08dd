import torch

h = torch.tensor([0.1, 1 / 3, 2049.0, 65504.0, 1e-7], dtype=torch.float16)
b = torch.tensor([0.1, 1 / 3, 257.0, 3e38, 1e-7], dtype=torch.bfloat16)
print(h)
print(b)
print(torch.tensor([0.1, 1 / 3, 2.0], dtype=torch.float16))
print(torch.tensor([0.1, 1 / 3, 2.0], dtype=torch.bfloat16))
print(torch.ones(2, 3, dtype=torch.bfloat16), torch.tensor(1.5, dtype=torch.float16))
print(h.float()[:3], b.double()[:3])
print(h[0].item(), b[0].item(), h.tolist()[:2])
print(h * 2, h + h, (h[3] * 2).isinf())
print((h + b).dtype, (h + torch.ones(5)).dtype, (b * 2.5).dtype, (h + 1).dtype)

# A sum is taken in float32 and rounded once.
ones = torch.ones(4096, dtype=torch.float16)
print(ones.sum(), ones.mean(), torch.full((300,), 0.01, dtype=torch.bfloat16).sum())
total = torch.tensor(2048.0, dtype=torch.float16)
print(total + 1, total + 2, total + 3)
step = torch.tensor(1.0, dtype=torch.bfloat16)
for _ in range(300):
    step = step + 1
print(step)
print(h[:3].exp2(), b[:2].sqrt(), torch.tensor([-0.0, float("nan")], dtype=torch.float16))

# A weight in half precision has a gradient in half precision.
w = torch.tensor([1.5, -2.0], dtype=torch.bfloat16, requires_grad=True)
loss = (w.float() ** 2).sum()
loss.backward()
print(loss, w.grad)
print(w)
m = torch.arange(6, dtype=torch.float16).reshape(2, 3)
print(m @ m.T, m.mean(dim=1), m.softmax(dim=1))
print(torch.zeros(2, dtype=torch.float16).element_size(), torch.zeros(3, 5, dtype=torch.bfloat16).nbytes)
