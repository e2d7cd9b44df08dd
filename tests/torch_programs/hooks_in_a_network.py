import torch
import torch.nn as nn

torch.manual_seed(0)
layers = [nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)]
x = torch.tensor([[1.0, -1.0, 0.5], [0.0, 2.0, 1.0]])

# The gradient of every activation, kept and watched.
activations, seen, h = [], [], x
for number, layer in enumerate(layers):
    h = layer(h)
    h = h if layer is layers[-1] else torch.tanh(h)
    h.retain_grad()
    h.register_hook(lambda gradient, number=number: seen.append((number, tuple(gradient.shape))))
    activations.append(h)
loss = activations[-1].pow(2).mean()
loss.backward()
print(seen)
for a in activations:
    print(a.is_leaf, a.retains_grad, a.grad)

# Clipped on the way, scaled on the way, and a hook that is taken away again.
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
clip = w.register_hook(lambda gradient: gradient.clamp(-5, 5))
(w**3).sum().backward()
print(w.grad)
clip.remove()
w.grad = None
(w**3).sum().backward()
print(w.grad)
w.grad = None
order = []
w.register_hook(lambda gradient: order.append("first"))
w.register_hook(lambda gradient: (order.append("second"), gradient / 2)[1])
middle = w * 2
middle.retain_grad()
middle.register_hook(lambda gradient: gradient * 10)
middle.sum().backward()
print(order, middle.grad, w.grad)

# A leaf keeps its gradient anyway; a tensor without a graph has nothing to keep.
w.retain_grad()
print(w.retains_grad, (w * 2).retains_grad, (w * 2).grad_fn is None)
for action in [lambda: x.retain_grad(), lambda: x.register_hook(print)]:
    try:
        action()
    except Exception as error:
        print(type(error).__name__)
