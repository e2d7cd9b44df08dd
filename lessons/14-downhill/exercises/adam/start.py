import glowgrad as torch


class Adam:
    def __init__(self, parameters, lr, betas=(0.9, 0.999), eps=1e-8):
        self.parameters = list(parameters)
        self.lr = lr
        self.betas = betas
        self.eps = eps
        self.means = [torch.zeros_like(parameter) for parameter in self.parameters]

    def step(self):
        keep, keep_squares = self.betas
        with torch.no_grad():
            for parameter, mean in zip(self.parameters, self.means):
                mean.mul_(keep).add_((1 - keep) * parameter.grad)
                parameter -= self.lr * mean
