# The tape, functions with a gradient of their own, and the kinds of errors; compared with PyTorch.
# Gradients, hooks and grad modes, printed as PyTorch prints them (../make.sh).
import glowgrad as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([[3.0, 4.0], [5.0, 6.0]], requires_grad=True)
z = (x * y).sum() + x.prod()
print(z, z.grad_fn, z.requires_grad, z.is_leaf, x.grad, x.grad_fn) if False else print(z, z.requires_grad, z.is_leaf, x.grad, x.grad_fn)
z.backward()
print(x.grad, y.grad)
z = (x ** 3).sum()
z.backward()
print(x.grad)
x.grad.zero_(); print(x.grad); x.grad = None; print(x.grad)
for f in (lambda: x + 1, lambda: x * x, lambda: x @ x, lambda: y @ x, lambda: y @ y, lambda: x.sum(), lambda: x.mean(), lambda: x.exp(), lambda: x.tanh(), lambda: x.view(2, 1), lambda: x.reshape(1, 2), lambda: x[0], lambda: x[1:], lambda: y.T, lambda: x.unsqueeze(0), lambda: x.relu(), lambda: x.sigmoid(), lambda: torch.softmax(x, 0), lambda: x / 2, lambda: x ** 2, lambda: x.clone(), lambda: -x, lambda: torch.cat([x, x]), lambda: torch.stack([x, x]), lambda: x.log(), lambda: x.sqrt(), lambda: x.abs(), lambda: x - 1, lambda: torch.nn.functional.linear(x, y), lambda: torch.where(x > 1, x, x * 2), lambda: y[[0, 1]], lambda: x.expand(3, 2), lambda: y.permute(1, 0), lambda: y.squeeze(), lambda: y.flatten(), lambda: x.double(), lambda: x.clamp(0, 1), lambda: torch.maximum(x, x)):
    print(str(f()).split("grad_fn=")[-1])
with torch.no_grad():
    print((x * 2).requires_grad, torch.is_grad_enabled())
    x -= 0.5
    with torch.enable_grad():
        print((x * 2).requires_grad)
print(x, torch.is_grad_enabled())


@torch.no_grad()
def f(v):
    return v * 2


print(f(x).requires_grad)
with torch.set_grad_enabled(False):
    print((x * 2).requires_grad)
torch.set_grad_enabled(False); print((x * 2).requires_grad); torch.set_grad_enabled(True)
d = x.detach(); d[0] = 9; print(x, d.requires_grad, (x * 1).detach().is_leaf)
y = x * 2; y.retain_grad(); y.sum().backward(); print(y.grad, x.grad)
x.grad = None
(x * x).backward(torch.tensor([1.0, 10.0])); print(x.grad)
g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True); h, = torch.autograd.grad(g.sum(), x); print(g, h)
print(torch.autograd.grad([x.sum()], [x, torch.ones(1, requires_grad=True)], allow_unused=True))
u = torch.ones(2, requires_grad=True); w = u * 3; w += 1; w.mul_(2); w.sum().backward(); print(u.grad)
u = torch.zeros(4, requires_grad=True); v = u * 1; v[1:3] = torch.tensor([5.0, 6.0]); (v * v).sum().backward(); print(u.grad, v)
u = torch.ones(3, requires_grad=True); l = (u * 2).sum(); l.backward(retain_graph=True); l.backward(); print(u.grad)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * factor

    @staticmethod
    def backward(ctx, gy):
        (x,) = ctx.saved_tensors
        return gy * 2 * x * ctx.factor, None


q = torch.tensor([1.0, -3.0], requires_grad=True)
r = Square.apply(q, 2.0)
r.sum().backward()
print(r.detach(), q.grad, str(r).split("grad_fn=")[-1], type(r.grad_fn).__name__ if False else "")
p = torch.tensor([0.3, -1.2], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda t: Square.apply(t, 3.0), (p,)), torch.autograd.gradcheck(torch.tanh, (p,)))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gy):
        return gy


u = torch.ones(2, requires_grad=True)
seen = []
k = u.register_hook(lambda g: seen.append(g.tolist()))
w = u * 3; w.register_hook(lambda g: g * 10)
w.sum().backward(); print(u.grad, seen); k.remove(); u.sum().backward(); print(u.grad, len(seen))
print(torch.autograd.gradcheck(Wrong.apply, (p,), raise_exception=False))
for bad in (lambda: torch.tensor([1.0]).backward(), lambda: (x * 2).backward(), lambda: x.add_(1), lambda: torch.tensor([1], requires_grad=True), lambda: torch.ones(2) @ torch.ones(3), lambda: torch.ones(2, 3) + torch.ones(4), lambda: torch.ones(2)[5], lambda: torch.ones(2)[0, 0], lambda: torch.ones(2).item(), lambda: bool(torch.ones(2)), lambda: torch.tensor([[1, 2], [3]]), lambda: torch.tensor("a"), lambda: torch.ones(2) + "a", lambda: torch.ones(2).reshape(3), lambda: torch.ones(3).sum(5), lambda: torch.softmax(torch.ones(2)), lambda: torch.ones(2, 3).view(4), lambda: torch.ones(2, 3).T.view(6), lambda: len(torch.tensor(1)), lambda: list(torch.tensor(1)), lambda: torch.cat([torch.ones(2), torch.ones(2, 2)]), lambda: torch.ones(2).nothing, lambda: torch.nothing, lambda: torch.tanh(1.0), lambda: torch.zeros(-1), lambda: torch.ones(2).softmax(dim="x"), lambda: torch.nn.Linear(2, 3)(torch.ones(4)), lambda: (lambda l: (l.backward(), l.backward()))((torch.ones(2, requires_grad=True) ** 2).sum()), lambda: (lambda v: (v.mul_(2), v))(torch.ones(2, requires_grad=True)), lambda: hash(torch.ones(2)) and {torch.ones(2): 1} and 1 / 0, lambda: torch.ones(2).requires_grad_().detach().backward(), lambda: torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 7])), lambda: torch.arange(0, 1, 0), lambda: torch.nn.Module()(1), lambda: torch.optim.SGD([], lr=0.1), lambda: torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=-1.0), lambda: torch.randint(5, 5, (1,)), lambda: torch.tensor([1.0], requires_grad=True).sum().backward(torch.ones(3)), lambda: torch.ones(2).__getitem__(1.5), lambda: torch.ones(3)[torch.tensor([0.5])], lambda: torch.nn.functional.mse_loss(torch.ones(2))):
    try:
        bad()
        print("no error")
    except Exception as error:
        print(type(error).__name__)
