def clip(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    total = sum(g.square().sum() for g in grads).sqrt().item()
    if total > max_norm:
        for g in grads:
            g.mul_(max_norm / total)
    return total
