import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


# Several results: one rule for all, zeros for what was not used.
class ProductAndSum(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y, x > 0

    @staticmethod
    def backward(ctx, to_product, to_sum, to_sign):
        print("  got", to_product, to_sum, to_sign)
        x, y = ctx.saved_tensors
        return to_product * y + to_sum, to_product * x + to_sum


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)
product, total, sign = ProductAndSum.apply(x, y)
print(product, total, sign, product.grad_fn.name(), sign.requires_grad)
(product.sum() + 2 * total.sum()).backward()
print(x.grad, y.grad)
for k in (0, 1):
    x.grad = None
    ProductAndSum.apply(x, y)[k].sum().backward()
    print(x.grad)
product, total, _ = ProductAndSum.apply(x, y)
(first,) = torch.autograd.grad((product * total).sum(), x, create_graph=True)
print(first)
print(torch.autograd.grad(first.sum(), (x, y)))
print(torch.autograd.grad(product.sum(), product))
product, total, _ = ProductAndSum.apply(x, y)
product.sum().backward(retain_graph=True)
product.sum().backward()
print(x.grad)


class WithoutZeros(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 1, x * 2

    @staticmethod
    def backward(ctx, a, b):
        print("  got", a, b)
        return (0 if a is None else a) + (0 if b is None else 2 * b)


leaf = torch.ones(2, requires_grad=True)
WithoutZeros.apply(leaf)[1].sum().backward()
print(leaf.grad)


class Sort(Function):
    @staticmethod
    def forward(ctx, x):
        values, places = x.sort()
        ctx.mark_non_differentiable(places)
        ctx.save_for_backward(places)
        return values, places

    @staticmethod
    def backward(ctx, to_values, _):
        (places,) = ctx.saved_tensors
        return torch.zeros_like(to_values).scatter(0, places, to_values)


mixed = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
values, places = Sort.apply(mixed)
print(values, places, values.requires_grad, places.requires_grad)
(values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(mixed.grad)


# A result that is saved carries second and third derivatives.
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gy):
        (y,) = ctx.saved_tensors
        return gy * y


z = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(Exp.apply, z), torch.autograd.gradgradcheck(Exp.apply, z))
(first,) = torch.autograd.grad(Exp.apply(z).sum(), z, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), z, create_graph=True)
print(second, torch.autograd.grad(second.sum(), z)[0])


class SinAndCos(Function):
    @staticmethod
    def forward(ctx, x):
        sin, cos = x.sin(), x.cos()
        ctx.save_for_backward(sin, cos)
        return sin, cos

    @staticmethod
    def backward(ctx, to_sin, to_cos):
        sin, cos = ctx.saved_tensors
        return to_sin * cos - to_cos * sin


print(torch.autograd.gradcheck(SinAndCos.apply, z), torch.autograd.gradgradcheck(SinAndCos.apply, z))


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    @once_differentiable
    def backward(ctx, gy):
        (x,) = ctx.saved_tensors
        return 3 * x ** 2 * gy


w = torch.tensor(2.0, requires_grad=True)
print(torch.autograd.grad(Cube.apply(w), w))
(first,) = torch.autograd.grad(Cube.apply(w) * w, w, create_graph=True)
print(first)
attempt("once", lambda: first.backward())


# Written in place.
class Triple(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(3)
        return x

    @staticmethod
    def backward(ctx, gy):
        return 3 * gy


leaf = torch.ones(2, requires_grad=True)
inner = leaf * 2
result = Triple.apply(inner)
print(result is inner, result, inner.grad_fn.name())
(result * result).sum().backward()
print(leaf.grad)
plain = torch.ones(2)
print(Triple.apply(plain) is plain, plain)
attempt("leaf", lambda: Triple.apply(torch.ones(2, requires_grad=True)))


class Forgotten(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(3)
        return x * 1

    @staticmethod
    def backward(ctx, gy):
        return 3 * gy


attempt("dirty", lambda: Forgotten.apply(leaf * 1))


class Same(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, gy):
        return gy * 10


leaf = torch.ones(2, requires_grad=True)
result = Same.apply(leaf)
print(result is leaf, result)
result.sum().backward()
print(leaf.grad, Same.apply(plain) is plain, Same.apply(plain))


class ByVjp(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def vjp(ctx, gy):
        return gy * 2


print(torch.autograd.grad(ByVjp.apply(leaf).sum(), leaf))


# Arguments: by place, by name, by default.
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor, note=None):
        print("  needs", ctx.needs_input_grad)
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, gy):
        return gy * ctx.factor if ctx.needs_input_grad[0] else None, None, None


print(Scale.apply(leaf, 3), Scale.apply(plain, 3), Scale.apply(x=leaf, factor=2), Scale.apply(leaf, 3, None))
attempt("name", lambda: Scale.apply(leaf, power=3))


class Power(Function):
    @staticmethod
    def forward(x, exponent=2):
        return x ** exponent

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.exponent = inputs
        ctx.save_for_backward(x)
        print("  set up", len(inputs), output.requires_grad)

    @staticmethod
    def backward(ctx, gy):
        (x,) = ctx.saved_tensors
        return ctx.exponent * x ** (ctx.exponent - 1) * gy, None


print(Power.apply(leaf), Power.apply(leaf, 3), Power.apply(leaf, exponent=4))
print(torch.autograd.grad(Power.apply(leaf, 3).sum(), leaf))
with torch.no_grad():
    print(Power.apply(leaf).requires_grad)


# What goes wrong.
def function(forward, backward):
    return type("Mine", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def walk(backward):
    own = function(lambda ctx, x, k: x * 2, backward)
    return torch.autograd.grad(own.apply(leaf, 1).sum(), leaf, allow_unused=True)


attempt("one", lambda: walk(lambda ctx, g: g))
attempt("two", lambda: walk(lambda ctx, g: (g, None)))
attempt("three", lambda: walk(lambda ctx, g: (g, None, None)))
attempt("too many", lambda: walk(lambda ctx, g: (g, None, g)))
attempt("not a tensor's", lambda: walk(lambda ctx, g: (g, g)))
attempt("size", lambda: walk(lambda ctx, g: (torch.ones(5), None)))
attempt("none", lambda: walk(lambda ctx, g: (None, None)))
attempt("list", lambda: function(lambda ctx, x: [x * 2], lambda ctx, g: g).apply(leaf)[0].shape)
attempt("number", lambda: function(lambda ctx, x: 3, lambda ctx, g: g).apply(leaf))
attempt("mixed", lambda: function(lambda ctx, x: (x * 2, 3, None), lambda ctx, g, *rest: g).apply(leaf)[1:])
attempt("save", lambda: function(lambda ctx, x: ctx.save_for_backward(x, 3), None).apply(leaf))
attempt("legacy", lambda: Same()(leaf))
attempt("forward", lambda: type("Bare", (Function,), {}).apply(leaf))
