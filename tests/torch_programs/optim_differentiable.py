# Gradients through the steps of optimizers, and of their learning rates.
import torch
from torch import optim


def rounded(tensor):
    return [round(v, 4) for v in tensor.detach().flatten().tolist()]


def through(name, **options):
    start = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    factor = torch.tensor([1.0, 2.0, 0.5], requires_grad=True)
    w = start.clone()
    optimizer = getattr(optim, name)([w], differentiable=True, **options)
    for step in range(4):
        w.grad = factor * w.detach().clone() + 0.5 * step
        optimizer.step()
    w.sum().backward()
    print(name, options, rounded(w), rounded(start.grad), rounded(factor.grad))


through("SGD", lr=0.1)
through("SGD", lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)
through("Adam", lr=0.1)
through("Adam", lr=0.1, weight_decay=0.1)
through("AdamW", lr=0.1)
through("NAdam", lr=0.1)
through("RAdam", lr=0.1, betas=(0.8, 0.9))
through("Adagrad", lr=0.1, lr_decay=0.1)
through("Adadelta", eps=1e-2)
through("RMSprop", lr=0.1)
through("ASGD", lr=0.1, t0=2)

for name in ("SGD", "Adam", "AdamW"):
    lr, decay = torch.tensor(0.1, requires_grad=True), torch.tensor(0.1, requires_grad=True)
    start = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    w = start.clone()
    optimizer = getattr(optim, name)([w], lr=lr, weight_decay=decay, differentiable=True)
    for step in range(3):
        w.grad = w.detach().clone() * 2
        optimizer.step()
    (w ** 2).sum().backward()
    print(name, rounded(w), rounded(lr.grad), rounded(decay.grad), rounded(start.grad))

# Without it, a step is off the tape.
w = torch.ones(2, requires_grad=True)
optimizer = optim.SGD([w], lr=0.1)
(w * w).sum().backward()
optimizer.step()
print(w, w.is_leaf, optimizer.defaults["differentiable"])
