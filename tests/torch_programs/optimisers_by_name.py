import torch

scale = torch.tensor([1.0, 10.0, 0.1])


def loss_of(w):
    return (scale * (w - 1) ** 2).sum()


for name, make in {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True),
    "decay": lambda p: torch.optim.SGD(p, lr=0.05, weight_decay=0.1),
    "all": lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.8, weight_decay=0.01, nesterov=True),
    "maximize": lambda p: torch.optim.SGD(p, lr=0.01, maximize=True),
    "adam": lambda p: torch.optim.Adam(p, lr=0.1),
    "adam decay": lambda p: torch.optim.Adam(p, lr=0.1, betas=(0.8, 0.99), weight_decay=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.1, weight_decay=0.1),
}.items():
    w = torch.tensor([0.0, 2.0, -1.0], requires_grad=True)
    optimizer = make([w])
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = loss_of(w)
        loss.backward()
        optimizer.step()
        losses.append(f"{loss.item():.3f}")
    print(name.ljust(10), *losses, w.detach())

# A learning rate by hand, and two groups with their own.
a, b = torch.zeros(3, requires_grad=True), torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.01}], lr=0.1)
for step in range(4):
    for group in optimizer.param_groups:
        group["lr"] *= 0.5
    optimizer.zero_grad()
    (loss_of(a) + loss_of(b)).backward()
    optimizer.step()
print([group["lr"] for group in optimizer.param_groups], a.detach(), b.detach())

# The same update with nothing but no_grad.
w, m = torch.tensor([0.0, 2.0, -1.0], requires_grad=True), torch.zeros(3)
for _ in range(5):
    (g,) = torch.autograd.grad(loss_of(w), w)
    with torch.no_grad():
        m.mul_(0.9).add_(g)
        w.sub_(0.02 * m)
print(w, loss_of(w))
