import glowgrad as torch


def step(x, h, W, U, b):
    return torch.tanh(x @ W + b)


def back(gy, y, U):
    # The gradient of the old state, from that of the new one.
    return gy
