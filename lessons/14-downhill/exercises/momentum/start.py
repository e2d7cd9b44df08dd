import glowgrad as torch


class Momentum:
    def __init__(self, parameters, lr, momentum):
        self.parameters = list(parameters)
        self.lr = lr
        self.momentum = momentum

    def step(self):
        with torch.no_grad():
            for parameter in self.parameters:
                parameter -= self.lr * parameter.grad
