from mine import unbroadcast


class Div:
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a / b

    def backward(ctx, gy):
        a, b = ctx.saved_tensors
        for_a = gy / b
        for_b = -gy * a / (b * b)
        return unbroadcast(for_a, tuple(a.shape)), unbroadcast(for_b, tuple(b.shape))
