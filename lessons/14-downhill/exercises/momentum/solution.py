import glowgrad as torch


class Momentum:
    def __init__(self, parameters, lr, momentum):
        self.parameters = list(parameters)
        self.lr = lr
        self.momentum = momentum
        self.velocities = [torch.zeros_like(parameter) for parameter in self.parameters]

    def step(self):
        with torch.no_grad():
            for parameter, velocity in zip(self.parameters, self.velocities):
                velocity.mul_(self.momentum).add_(parameter.grad)
                parameter -= self.lr * velocity
