import glowgrad as torch


def start(n_in, n_out, activation):
    # The spread depends on the activation: "tanh" or "relu".
    return torch.randn(n_out, n_in)
