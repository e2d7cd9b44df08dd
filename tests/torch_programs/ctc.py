import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x, digits=3):
    return [round(v, digits) + 0.0 for v in x.flatten().tolist()]


torch.manual_seed(0)
steps, batch, classes = 7, 3, 5
logits = torch.randn(steps, batch, classes)
targets = torch.tensor([[1, 2, 2], [3, 0, 0], [4, 1, 4]])
inputs, lengths = torch.tensor([7, 5, 6]), torch.tensor([3, 1, 3])
for reduction in ("none", "mean", "sum"):
    loss = nn.CTCLoss(reduction=reduction)
    leaf = logits.clone().requires_grad_()
    y = loss(leaf.log_softmax(2), targets, inputs, lengths)
    y.sum().backward()
    print(loss, loss.blank, loss.reduction, loss.zero_infinity, y.dtype, numbers(y), y.requires_grad)
    print(numbers(leaf.grad))
    raw = logits.log_softmax(2).requires_grad_()
    loss(raw, targets, inputs, lengths).sum().backward()
    print(numbers(raw.grad))

log_probs = logits.log_softmax(2)
flat = torch.tensor([1, 2, 2, 3, 4, 1, 4])
print(numbers(F.ctc_loss(log_probs, flat, inputs, lengths, reduction="none")))
print(numbers(F.ctc_loss(log_probs, flat, (7, 5, 6), (3, 1, 3), reduction="none")), numbers(F.ctc_loss(log_probs, targets, [7, 5, 6], [3, 1, 3])))
print(numbers(F.ctc_loss(log_probs, targets.int(), inputs.int(), lengths.int())), F.ctc_loss(log_probs.double(), targets, inputs, lengths))
print(numbers(F.ctc_loss(log_probs, torch.tensor([[1, 2, 3], [3, 0, 0], [0, 1, 3]]), inputs, lengths, blank=4, reduction="none")))
print(numbers(F.ctc_loss(log_probs, targets, inputs, torch.tensor([0, 0, 1]), reduction="none")), F.ctc_loss(log_probs, targets, inputs, torch.tensor([0, 0, 1])))
print(numbers(F.ctc_loss(log_probs[:, 0], targets[0], torch.tensor(7), torch.tensor(3))), F.ctc_loss(log_probs[:, 0], targets[0], (7,), (3,), reduction="none").shape)
print(numbers(F.ctc_loss(log_probs, targets, torch.tensor([0, 5, 6]), torch.tensor([0, 1, 2]), reduction="none")))

# Sequences without a path: too few steps, or an equal neighbour that needs a blank.
short = torch.tensor([3, 5, 2])
for zero_infinity in (False, True):
    for reduction in ("none", "mean", "sum"):
        leaf = logits.clone().requires_grad_()
        y = F.ctc_loss(leaf.log_softmax(2), targets, short, lengths, reduction=reduction, zero_infinity=zero_infinity)
        y.sum().backward()
        print(zero_infinity, reduction, y.tolist() if reduction != "none" else [round(v, 4) for v in y.tolist()], numbers(leaf.grad))

# Long sequences, and very small probabilities.
torch.manual_seed(1)
long = (torch.randn(60, 2, 4) * 20).log_softmax(2).requires_grad_()
words = torch.randint(1, 4, (2, 20))
y = F.ctc_loss(long, words, (60, 55), (20, 12), reduction="none")
y.sum().backward()
print([round(v, 2) for v in y.tolist()], round(long.grad.abs().sum().item(), 3), round(long.grad[10:12].abs().sum().item(), 2))

# Training with it.
torch.manual_seed(2)
net = nn.Linear(4, classes)
optimizer, loss = torch.optim.SGD(net.parameters(), lr=0.5), nn.CTCLoss(zero_infinity=True)
x = torch.randn(steps, batch, 4)
for _ in range(5):
    optimizer.zero_grad()
    y = loss(net(x).log_softmax(2), targets, inputs, lengths)
    y.backward()
    optimizer.step()
    print(round(y.item(), 4))

raw = logits.log_softmax(2).requires_grad_()
first, = torch.autograd.grad(F.ctc_loss(raw, targets, inputs, lengths), raw, create_graph=True)
for wrong in (
    lambda: torch.autograd.grad(first.sum(), raw), lambda: F.ctc_loss(log_probs, targets, torch.tensor([8, 5, 6]), lengths),
    lambda: F.ctc_loss(log_probs, targets, inputs[:2], lengths), lambda: F.ctc_loss(log_probs, targets, inputs, lengths[:2]),
    lambda: F.ctc_loss(log_probs, targets, inputs, torch.tensor([4, 1, 1])), lambda: F.ctc_loss(log_probs, flat[:5], inputs, lengths),
    lambda: F.ctc_loss(log_probs, targets, inputs, lengths, blank=5), lambda: F.ctc_loss(log_probs, targets, inputs, lengths, reduction="all"),
    lambda: F.ctc_loss(log_probs, targets[:2], inputs, lengths), lambda: F.ctc_loss(log_probs, targets, inputs.float(), lengths),
    lambda: F.ctc_loss(log_probs, targets, -inputs, lengths), lambda: F.ctc_loss(log_probs, targets), lambda: nn.CTCLoss(weight=1),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
