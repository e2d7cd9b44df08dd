# Functions with their own derivatives: a polynomial, a quantiser that lets gradients through, a layer.
import math

import torch
from torch import nn
from torch.autograd import Function, gradcheck


class Chebyshev(Function):
    """4 x**3 - 3 x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 4 * x ** 3 - 3 * x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * (12 * x ** 2 - 3)


x = torch.linspace(-1, 1, 200)
y = torch.sin(math.pi * x)
a = torch.full((), 0.0, requires_grad=True)
b = torch.full((), -0.8, requires_grad=True)
c = torch.full((), 0.0, requires_grad=True)
d = torch.full((), 0.6, requires_grad=True)
for step in range(200):
    loss = (a + b * Chebyshev.apply(c + d * x) - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 1e-3 * p.grad
            p.grad = None
    if step % 50 == 49:
        print(step, f"{loss.item():.3f}")
print(f"{abs(a.item()):.3f} {b.item():.3f} {abs(c.item()):.3f} {d.item():.3f}")
print(gradcheck(Chebyshev.apply, torch.randn(4, dtype=torch.double, requires_grad=True)))


class Rounded(Function):
    """Steps of a size; gradients pass where the number is in range."""

    @staticmethod
    def forward(ctx, x, size, low, high):
        ctx.save_for_backward((x >= low) & (x <= high))
        return torch.round(x.clamp(low, high) / size) * size

    @staticmethod
    def backward(ctx, grad_output):
        inside, = ctx.saved_tensors
        return grad_output * inside, None, None, None


w = torch.tensor([0.12, -0.9, 1.4, 0.55], requires_grad=True)
q = Rounded.apply(w, 0.25, -1.0, 1.0)
(q * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
print(q, w.grad)


class AffineFunction(Function):
    @staticmethod
    def forward(x, weight, bias):
        return x.mm(weight.t()) + (0 if bias is None else bias)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, bias = inputs
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        gx = grad_output.mm(weight) if ctx.needs_input_grad[0] else None
        gw = grad_output.t().mm(x) if ctx.needs_input_grad[1] else None
        gb = grad_output.sum(0) if ctx.has_bias and ctx.needs_input_grad[2] else None
        return gx, gw, gb


class Affine(nn.Module):
    def __init__(self, inputs, outputs, bias=True):
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        if bias:
            self.bias = nn.Parameter(torch.empty(outputs))
        else:
            self.register_parameter("bias", None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, x):
        return AffineFunction.apply(x, self.weight, self.bias)

    def extra_repr(self):
        return f"inputs={self.inputs}, outputs={self.outputs}, bias={self.bias is not None}"


torch.manual_seed(0)
layer, bare = Affine(3, 2), Affine(2, 1, bias=False)
model = nn.Sequential(layer, nn.Tanh(), bare)
print(model)
model(torch.ones(2, 3)).sum().backward()
same = nn.functional.linear(torch.ones(2, 3), layer.weight, layer.bias).tanh()
expected = torch.autograd.grad(nn.functional.linear(same, bare.weight).sum(), list(model.parameters()))
print([torch.allclose(p.grad, g) for p, g in zip(model.parameters(), expected)])
double = [t.detach().double().requires_grad_() for t in (torch.randn(4, 3), layer.weight, layer.bias)]
print(gradcheck(AffineFunction.apply, double))


class Unready(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


z = torch.ones(2, requires_grad=True)
try:
    Unready.apply(z).sum().backward()
except NotImplementedError as error:
    print(type(error).__name__, str(error)[:60])
