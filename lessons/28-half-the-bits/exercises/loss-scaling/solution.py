import glowgrad as torch


def scaled_step(loss, parameters, lr, scale):
    """One step of SGD with loss scaling; gives the scale of the next one."""
    (loss * scale).backward()
    fine = all(p.grad.isfinite().all() for p in parameters)
    with torch.no_grad():
        for p in parameters:
            if fine:
                p -= lr * p.grad / scale
            p.grad = None
    if fine:
        return scale
    return scale / 2
