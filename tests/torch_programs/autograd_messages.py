import torch


def attempt(action):
    try:
        action()
        print("ok")
    except Exception as error:
        print(type(error).__name__, "|", str(error).split(". ")[0].split("; expected")[0].rstrip("."))


w = torch.tensor([1.0, 2.0], requires_grad=True)
attempt(lambda: w.add_(1))
attempt(lambda: w.view(-1)[0].zero_())
attempt(lambda: w.__setitem__(0, 5.0))
with torch.no_grad():
    attempt(lambda: w.add_(1))
print(w, w._version)


def write_after(operation, write):
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    x = leaf * 1
    y = operation(x)
    write(x, y)
    y.sum().backward()


attempt(lambda: write_after(torch.exp, lambda x, y: y.mul_(2)))
attempt(lambda: write_after(torch.sin, lambda x, y: x.mul_(2)))
attempt(lambda: write_after(torch.sigmoid, lambda x, y: y[0].zero_()))
attempt(lambda: write_after(torch.sin, lambda x, y: y.mul_(2)))
attempt(lambda: write_after(lambda x: x + 1, lambda x, y: x.zero_()))

loss = (w * w).sum()
loss.backward()
attempt(lambda: loss.backward())
attempt(lambda: (w * 2).backward())
attempt(lambda: torch.ones(2).sum().backward())
attempt(lambda: torch.autograd.grad(w.sum(), torch.ones(2, requires_grad=True)))
attempt(lambda: torch.tensor([1, 2], requires_grad=True))
attempt(lambda: (w * 2).requires_grad_(False))
attempt(lambda: (w * 2).numpy())
attempt(lambda: w.expand(2, 2).detach().add_(1))
attempt(lambda: setattr(w, "grad", torch.zeros(3)))
with torch.inference_mode():
    made = torch.ones(2)
attempt(lambda: (made * w).sum().backward())
print(made.is_inference(), torch.is_inference_mode_enabled(), w.grad)
