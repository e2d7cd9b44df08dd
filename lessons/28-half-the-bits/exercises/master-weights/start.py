import glowgrad as torch


def master_step(masters, copies, lr):
    """One step of SGD on the masters; the copies get them, rounded."""
    with torch.no_grad():
        for master, copy in zip(masters, copies):
            copy -= lr * copy.grad
            master.copy_(copy)
            copy.grad = None
