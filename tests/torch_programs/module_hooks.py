import torch
import torch.nn as nn
from torch.nn.modules.module import (
    register_module_backward_hook, register_module_buffer_registration_hook,
    register_module_forward_hook, register_module_forward_pre_hook,
    register_module_full_backward_hook, register_module_full_backward_pre_hook,
    register_module_module_registration_hook, register_module_parameter_registration_hook,
)
from torch.utils.hooks import RemovableHandle


def show(values):
    return tuple(None if x is None else x.tolist() if isinstance(x, torch.Tensor) else x for x in values)


class Scale(nn.Module):
    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = factor

    def forward(self, x, plus=0.0):
        if plus == "fail":
            raise ValueError("asked to fail")
        return x * self.factor + plus


x = torch.tensor([1.0, 2.0])
m = Scale()
print("forward hooks")
order = []
a = m.register_forward_hook(lambda mod, args, out: order.append(("a", mod is m, show(args), out.tolist())))
b = m.register_forward_hook(lambda mod, args, out: out + 100, prepend=True)
c = m.register_forward_hook(lambda mod, args, kwargs, out: order.append(("c", kwargs)), with_kwargs=True)
print(isinstance(a, RemovableHandle), m(x, plus=1.0).tolist(), order)
b.remove()
b.remove()
order.clear()
print(m(x).tolist(), order, len(m._forward_hooks), len(m._forward_hooks_with_kwargs))
a.remove(), c.remove()
with m.register_forward_hook(lambda mod, args, out: {"result": out}):
    print(m(x))
print(m(x).tolist(), len(m._forward_hooks))

print("pre-hooks")
a = m.register_forward_pre_hook(lambda mod, args: args[0] * 10)
b = m.register_forward_pre_hook(lambda mod, args: (args[0] + 1,))
print(m(x).tolist())
c = m.register_forward_pre_hook(lambda mod, args: (args[0] * 0,), prepend=True)
print(m(x).tolist())
a.remove(), b.remove(), c.remove()
a = m.register_forward_pre_hook(lambda mod, args, kwargs: (args, {"plus": 7.0}), with_kwargs=True)
print(m(x).tolist(), m(x, plus=1.0).tolist())
a.remove()
a = m.register_forward_pre_hook(lambda mod, args, kwargs: 3, with_kwargs=True)
try:
    m(x)
except RuntimeError as error:
    print(error)
a.remove()

print("always called")
calls = []
a = m.register_forward_hook(lambda mod, args, out: calls.append(out), always_call=True)
b = m.register_forward_hook(lambda mod, args, out: calls.append("plain"))
for plus in (0.0, "fail"):
    calls.clear()
    try:
        m(x, plus)
    except ValueError as error:
        print(error)
    print([each if isinstance(each, (str, type(None))) else each.tolist() for each in calls])
a.remove(), b.remove()

print("backward hooks")


class Two(nn.Module):
    def forward(self, a, b=None, flag=3):
        return a * 2, b * 3, "text"


two = Two()
one = two.register_full_backward_hook(lambda mod, gi, go: print("full", show(gi), show(go)))
pre = two.register_full_backward_pre_hook(lambda mod, go: print("pre", show(go)))
p, q = (torch.ones(2, requires_grad=True) for _ in range(2))
y, z, text = two(p, q, 5)
y.sum().backward()
print(p.grad, q.grad, y.grad_fn.name(), text)
p.grad = q.grad = None
y, z, _ = two(p, q.detach())
(y.sum() + 0 * z.sum()).backward()
print(p.grad, q.grad, z.requires_grad)
y, z, _ = two(p, b=q)
(y * z).sum().backward()
print(p.grad, q.grad)
with torch.no_grad():
    print(two(p, q)[0].requires_grad)
print(two(p.detach(), q.detach())[0].requires_grad)

linear = nn.Linear(2, 1, bias=False)
nn.init.constant_(linear.weight, 2.0)
seen = linear.register_full_backward_hook(lambda mod, gi, go: print("linear", show(gi), show(go)))
linear(torch.ones(1, 2)).sum().backward()
x = torch.ones(1, 2, requires_grad=True)
ten = linear.register_full_backward_hook(lambda mod, gi, go: (gi[0] * 10,))
out = linear(x)
print(out.grad_fn.name(), out.grad_fn.next_functions[0][0].name())
out.sum().backward()
print(x.grad, linear.weight.grad)
first = linear.register_full_backward_hook(lambda mod, gi, go: print("first"), prepend=True)
triple = linear.register_full_backward_pre_hook(lambda mod, go: (go[0] * 3,))
x.grad = None
linear(x).sum().backward()
print(x.grad)
g, = torch.autograd.grad((linear(x) ** 2).sum(), x, create_graph=True)
print(g, g.requires_grad, torch.autograd.grad(g.sum(), [linear.weight, x]))
first.remove(), triple.remove(), seen.remove()
for make, hook in (
    (linear.register_full_backward_pre_hook, lambda mod, go: (go[0], go[0])),
    (linear.register_full_backward_hook, lambda mod, gi, go: (gi[0], gi[0])),
):
    with make(hook):
        try:
            linear(x).sum().backward()
        except RuntimeError as error:
            print(error)
ten.remove()
with linear.register_full_backward_hook(lambda mod, gi, go: (torch.ones(2),)):
    try:
        linear(torch.ones(1, 2)).sum().backward()
    except RuntimeError as error:
        print(error)
try:
    linear.register_backward_hook(print)
except RuntimeError as error:
    print(error)
x.grad = None
layers = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
names = {module: name for name, module in layers.named_modules()}
for module in layers.modules():
    module.register_full_backward_hook(lambda mod, gi, go: print(repr(names[mod]), [tuple(g.shape) for g in gi + go if g is not None]))
layers(x).sum().backward()

print("hooks of all modules")
x = torch.tensor([1.0, 2.0], requires_grad=True)
m = Scale()
m.register_forward_hook(lambda mod, args, out: print("own"))
handles = [
    register_module_forward_hook(lambda mod, args, out: print("all", type(mod).__name__)),
    register_module_forward_hook(lambda mod, args, kwargs, out: print("all", kwargs), with_kwargs=True),
    register_module_forward_hook(lambda mod, args, out: print("always", out is None), always_call=True),
    register_module_forward_pre_hook(lambda mod, args: print("before", len(args))),
    register_module_full_backward_pre_hook(lambda mod, go: print("gradients", show(go))),
    register_module_full_backward_hook(lambda mod, gi, go: print("backward", show(gi), show(go))),
]
m(x, plus=1.0).sum().backward()
try:
    m(x, "fail")
except ValueError as error:
    print(error)
try:
    register_module_backward_hook(print)
except RuntimeError as error:
    print(error)
for handle in handles:
    handle.remove()
print(m(x).tolist())


def doubled(module, name, value):
    print(type(module).__name__, name, None if value is None else type(value).__name__)
    return nn.Parameter(value * 2) if isinstance(value, nn.Parameter) else None


with register_module_parameter_registration_hook(doubled):
    linear.extra = nn.Parameter(torch.ones(2))
with register_module_buffer_registration_hook(doubled):
    linear.register_buffer("mean", torch.zeros(1))
    linear.mean = torch.ones(1)
with register_module_module_registration_hook(doubled):
    linear.inner = nn.ReLU()
    linear.add_module("other", nn.Tanh())
print(linear, linear.extra, linear.mean)
