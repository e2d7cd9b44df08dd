import glowgrad as torch


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        r = (x * x).mean(dim=1, keepdim=True).sqrt()
        ctx.save_for_backward(x, r)
        return x / r

    @staticmethod
    def backward(ctx, gy):
        x, r = ctx.saved_tensors
        return gy / r
