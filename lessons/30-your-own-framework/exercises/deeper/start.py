from mine import Adam


class Relu:
    def forward(ctx, x):
        return x.clamp(min=0)

    def backward(ctx, gy):
        return (gy,)


class Deep:
    """64 numbers, two hidden layers with Relu, 10 logits."""

    def __init__(self):
        self.first = Linear(64, 48)
        self.last = Linear(48, 10)

    def __call__(self, x):
        x = as_tensor(x)
        return self.last(self.first(x))

    def parameters(self):
        return self.first.parameters() + self.last.parameters()


def learn(network, x, y):
    """Trains a network on these digits."""
