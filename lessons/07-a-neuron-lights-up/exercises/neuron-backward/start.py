import glowgrad as torch


class Neuron(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        y = torch.tanh((w * x).sum() + b)
        ctx.save_for_backward(x, w, y)
        return y

    @staticmethod
    def backward(ctx, gy):
        x, w, y = ctx.saved_tensors
        return gy * torch.ones_like(x), gy * torch.ones_like(w), gy
