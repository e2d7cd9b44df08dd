import torch
from torch.autograd import Function, gradcheck, gradgradcheck


class Softplus(Function):
    @staticmethod
    def forward(ctx, x, beta):
        ctx.save_for_backward(x)
        ctx.beta = beta
        return torch.log1p(torch.exp(-(x * beta).abs())) / beta + x.clamp(min=0)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * torch.sigmoid(x * ctx.beta), None


class Affine(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        y = x @ weight.T
        return y if bias is None else y + bias

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        to_x = gradient @ weight if ctx.needs_input_grad[0] else None
        to_weight = gradient.T @ x if ctx.needs_input_grad[1] else None
        return to_x, to_weight, gradient.sum(0) if ctx.has_bias else None


x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
y = Softplus.apply(x, 2.0)
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad, torch.allclose(y, torch.nn.functional.softplus(x, 2.0)))

double = {"dtype": torch.float64, "requires_grad": True}
at = torch.tensor([-1.0, 0.5, 2.0], **double)
print(gradcheck(lambda t: Softplus.apply(t, 2.0), (at,)), gradgradcheck(lambda t: Softplus.apply(t, 2.0), (at,)))
torch.manual_seed(0)
inputs = torch.randn(3, 2, **double), torch.randn(4, 2, **double), torch.randn(4, **double)
print(gradcheck(Affine.apply, inputs), gradgradcheck(Affine.apply, inputs))
print(gradcheck(torch.tanh, (at,)), gradgradcheck(lambda a, b: (a * b).sin().sum(0), (inputs[0], inputs[0].detach() + 1)))
data = torch.ones(3, 2)
weight = torch.ones(4, 2, requires_grad=True)
out = Affine.apply(data, weight)
print(out)
out.sum().backward()
print(data.grad, weight.grad)
try:
    gradcheck(lambda t: t.detach() * t, (at,))
except Exception as error:
    print(isinstance(error, RuntimeError), str(error).split(",")[0])
print(gradcheck(lambda t: t.detach() * t, (at,), raise_exception=False))
