import torch

# Gradient descent by hand on a line.
x = torch.tensor([0.0, 1.0, 2.0, 3.0])
y = 2 * x + 1
w = torch.tensor(0.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
for step in range(40):
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad = None
    if step % 10 == 9:
        print(step, f"{loss.item():.2e}")
print(w, b)
print(w.requires_grad, w.is_leaf, w.grad, b.grad)

with torch.no_grad():
    z = w * 2
    with torch.enable_grad():
        q = w * 2
print(z.requires_grad, q.requires_grad, torch.is_grad_enabled())


@torch.no_grad()
def predict(value):
    return w * value + b


print(predict(10.0).requires_grad)
torch.set_grad_enabled(False)
print((w * 2).requires_grad)
torch.set_grad_enabled(True)
print((w * 2).requires_grad)
