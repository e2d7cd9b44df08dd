import torch
import torch.nn.functional as F

labels = torch.tensor([2, 0, 1, 2])
one_hot = F.one_hot(labels)
print(one_hot, one_hot.dtype, F.one_hot(labels, num_classes=5).shape, F.one_hot(labels.view(2, 2), 3).sum((0, 1)))
print(torch.zeros(4, 3).scatter(1, labels[:, None], 1.0), torch.eye(3)[labels])
print(torch.zeros(4, 3).scatter_(1, labels[:, None], torch.tensor([[0.1], [0.2], [0.3], [0.4]])))

# Sums, means and maxima by group.
values = torch.tensor([1.0, 2.0, 3.0, 5.0])
zero = torch.zeros(3)
print(zero.scatter_add(0, labels, values), zero.index_add(0, labels, values, alpha=2))
for reduce in ["sum", "prod", "mean", "amax", "amin"]:
    kept = torch.ones(3).scatter_reduce(0, labels, values, reduce=reduce)
    print(reduce, kept, torch.ones(3).scatter_reduce(0, labels, values, reduce=reduce, include_self=False))
counts = labels.bincount(minlength=3)
print(counts, zero.scatter_add(0, labels, values) / counts, one_hot.T.float() @ values)
print(torch.zeros(2, 3).scatter(0, torch.tensor([[1, 0, 1]]), torch.tensor([[7.0, 8.0, 9.0]])))
print(torch.arange(6).view(2, 3).scatter(1, torch.tensor([[0], [2]]), -1))

# A confusion matrix from predictions.
logits = torch.tensor([[0.1, 0.2, 0.9], [1.5, 0.3, 0.2], [0.2, 0.1, 0.0], [0.3, 0.9, 0.1]])
predicted = logits.argmax(1)
confusion = torch.zeros(3, 3, dtype=torch.int64)
confusion.index_put_((labels, predicted), torch.ones((), dtype=torch.int64), accumulate=True)
print(confusion, confusion.trace(), (predicted == labels).float().mean())
top = logits.topk(2, dim=1).indices
print((top == labels[:, None]).any(1), logits.gather(1, labels[:, None]).squeeze(1))

# Gradients of gather and scatter are each other.
w = logits.clone().requires_grad_()
w.softmax(1).gather(1, labels[:, None]).log().neg().mean().backward()
print(w.grad, torch.allclose(w.grad, (logits.softmax(1) - one_hot) / 4, atol=1e-6))
source = values.clone().requires_grad_()
total = torch.zeros(3).scatter_add(0, labels, source)
print(total)
total.square().sum().backward()
print(source.grad)
source.grad = None
torch.zeros(3).scatter_reduce(0, labels, source, "amax").sum().backward()
print(source.grad)
for wrong in [lambda: F.one_hot(torch.tensor([-1])), lambda: F.one_hot(labels, 2), lambda: zero.scatter(0, labels + 1, values)]:
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__)
