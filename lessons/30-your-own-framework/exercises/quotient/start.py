from mine import unbroadcast


class Div:
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a / b

    def backward(ctx, gy):
        a, b = ctx.saved_tensors
        return gy, gy
