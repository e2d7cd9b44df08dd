import glowgrad as torch


class ScaleShift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, shift):
        ctx.save_for_backward(x, scale)
        return x * scale + shift

    @staticmethod
    def backward(ctx, gy):
        x, scale = ctx.saved_tensors
        grad_x = gy * scale
        grad_scale = (gy * x).sum(dim=1)
        grad_shift = gy.mean(dim=0)
        return grad_x, grad_scale, grad_shift
