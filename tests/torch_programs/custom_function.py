import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * 2 * x


class ScaledAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, scale):
        ctx.scale = scale
        return x + y * scale

    @staticmethod
    def backward(ctx, gradient):
        print("needs", ctx.needs_input_grad)
        return gradient, gradient * ctx.scale, None


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x > 0).float()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
y = Square.apply(x)
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
out = ScaledAdd.apply(x, torch.ones(3), 5.0)
out.sum().backward()
print(out.detach(), x.grad)
x.grad = None
(StraightThrough.apply(x * 2) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(x.grad)
# The backward is made of tensor operations, so it can be differentiated again.
z = torch.tensor(3.0, requires_grad=True)
(g,) = torch.autograd.grad(Square.apply(z), z, create_graph=True)
(h,) = torch.autograd.grad(g, z)
print(g.item(), h.item())
print(
    torch.autograd.gradcheck(Square.apply, torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True))
)


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * x


try:
    torch.autograd.gradcheck(Wrong.apply, torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True))
except Exception as error:
    print(type(error).__name__)
