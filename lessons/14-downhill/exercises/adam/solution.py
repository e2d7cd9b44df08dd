import glowgrad as torch


class Adam:
    def __init__(self, parameters, lr, betas=(0.9, 0.999), eps=1e-8):
        self.parameters = list(parameters)
        self.lr = lr
        self.betas = betas
        self.eps = eps
        self.count = 0
        self.means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.squares = [torch.zeros_like(parameter) for parameter in self.parameters]

    def step(self):
        keep, keep_squares = self.betas
        self.count += 1
        with torch.no_grad():
            for parameter, mean, square in zip(self.parameters, self.means, self.squares):
                slope = parameter.grad
                mean.mul_(keep).add_((1 - keep) * slope)
                square.mul_(keep_squares).add_((1 - keep_squares) * slope * slope)
                m = mean / (1 - keep**self.count)
                s = square / (1 - keep_squares**self.count)
                parameter -= self.lr * m / (s.sqrt() + self.eps)
