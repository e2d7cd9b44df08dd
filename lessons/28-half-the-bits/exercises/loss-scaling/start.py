import glowgrad as torch


def scaled_step(loss, parameters, lr, scale):
    """One step of SGD with loss scaling; gives the scale of the next one."""
    (loss * scale).backward()
    with torch.no_grad():
        for p in parameters:
            p -= lr * p.grad / scale
            p.grad = None
    return scale
