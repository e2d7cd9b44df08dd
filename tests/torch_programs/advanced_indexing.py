import torch

x = torch.arange(24).reshape(2, 3, 4)
rows, columns = torch.tensor([0, 2]), torch.tensor([1, 3])
print(x[0, rows, columns], x[:, rows, columns])
print(x[0][rows[:, None], columns], x[1, rows][:, columns])
print(x[..., -1], x[:, None, 1, ::2], x[None, 0, 0].shape, x[1, ..., 2:])
print(x[:, :, columns].shape, x[0, :, columns].shape, x[rows[:1], :, columns].shape)
print(x[x % 5 == 0], x[torch.tensor([False, True])].shape, x[:, torch.tensor([True, False, True]), 0])
print(x[[1, 0], [2, 0]], x[-1, -1, -1], x[[0, 0, 1], ..., 0].tolist())

# Assignment by the same rules.
y = torch.zeros(3, 4)
y[1] = 5
y[:, 2] = torch.tensor([1.0, 2.0, 3.0])
y[[0, 2], [0, 0]] = torch.tensor([7.0, 8.0])
y[y == 0] = -1
print(y)
y[1:, 1:3] += 10
y[..., -1] *= torch.tensor([2.0, 3.0, 4.0])
y[torch.tensor([True, False, False])] = torch.arange(4.0)
print(y)
counts = torch.zeros(4)
counts[[1, 1, 3]] += 1
print(counts, counts.index_add(0, torch.tensor([1, 1, 3]), torch.ones(3)))
counts.index_put_((torch.tensor([0, 0]),), torch.tensor(2.0), accumulate=True)
print(counts, counts.index_fill(0, torch.tensor([3]), -9))
print(x[0].take(torch.tensor([0, 5, -1])), x[0].index_select(1, columns))
order = torch.tensor([[3, 1, 2, 0], [2, 2, 2, 2], [0, 1, 2, 3]])
print(x[0].gather(1, order), torch.take_along_dim(x[0], order.argsort(1), 1))
print(torch.tensor([[0, 3], [5, 0]]).nonzero(), torch.tensor([[0, 3], [5, 0]]).nonzero(as_tuple=True))

# Gradients reach what was read, as often as it was read.
w = torch.arange(4.0, requires_grad=True)
(w[[0, 0, 3]] * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(w.grad)
print(w[[0, 2]], w[1:3])
for index in [5, (0, 0), torch.tensor([9]), [0.5]]:
    try:
        w[index]
    except Exception as error:
        print(type(error).__name__)
