# must say: a = [[2]], b = [[5]], gy = [[10]]: a.grad
import glowgrad as torch


class MatMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, gy):
        a, b = ctx.saved_tensors
        return a.T @ gy, gy @ b.T
