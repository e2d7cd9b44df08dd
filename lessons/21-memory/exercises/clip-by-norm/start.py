def clip(parameters, max_norm):
    for parameter in parameters:
        norm = parameter.grad.norm()
        if norm > max_norm:
            parameter.grad.mul_(max_norm / norm)
    return norm
