import torch


def run(**options):
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], **options)
    for _ in range(3):
        optimizer.zero_grad()
        (w * w * torch.tensor([1.0, 3.0])).sum().backward()
        optimizer.step()
    print(sorted(options.items()), w.detach())


run(lr=0.1)
run(lr=0.1, momentum=0.9)
run(lr=0.1, momentum=0.9, nesterov=True)
run(lr=0.1, weight_decay=0.25)
run(lr=0.1, momentum=0.9, dampening=0.5, weight_decay=0.1)
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
w.backward()
optimizer.zero_grad()
print(w.grad)
optimizer.step()
print(w)
w.backward()
optimizer.step()
optimizer.zero_grad(set_to_none=False)
print(w, w.grad)
try:
    torch.optim.SGD([], lr=0.1)
except Exception as error:
    print(type(error).__name__)
try:
    torch.optim.SGD([w], lr=-1.0)
except Exception as error:
    print(type(error).__name__)
