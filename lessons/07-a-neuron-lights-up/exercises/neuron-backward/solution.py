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
        gs = gy * (1 - y * y)
        return gs * w, gs * x, gs
