import glowgrad as torch


class MatMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, gy):
        a, b = ctx.saved_tensors
        return gy @ b.T, a.T @ gy
