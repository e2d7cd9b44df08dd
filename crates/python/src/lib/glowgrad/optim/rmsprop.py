"""`torch.optim.rmsprop`: steps over the root of the mean square of the gradients."""

from glowgrad.optim._rule import (
    Rule, _blend_square, _check, _check_rate, _decayed, _kept, _on_host, _zeros,
)

__all__ = ["RMSprop"]


class RMSprop(Rule):
    """Divides each step by the root of the mean square of recent gradients (Hinton, 2012).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.RMSprop([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0,
                 centered=False, capturable=False, foreach=None, maximize=False,
                 differentiable=False):
        _check_rate(lr)
        _check(eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, dict(
            lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered,
            weight_decay=weight_decay, capturable=capturable, foreach=foreach, maximize=maximize,
            differentiable=differentiable,
        ))

    def _fresh(self, state, param, group, grad):
        state["step"] = _on_host(0)
        state["square_avg"] = _zeros(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = _zeros(param)
        if group["centered"]:
            state["grad_avg"] = _zeros(param)

    def _update(self, param, grad, group, state, lr):
        alpha, momentum = group["alpha"], group["momentum"]
        self._count(state, param, group)
        grad = _decayed(grad, param, group["weight_decay"])
        square = state["square_avg"]
        _blend_square(square, grad, alpha)
        if group["centered"]:
            mean = _kept(state["grad_avg"].lerp_(grad, 1 - alpha))
            square = square.addcmul(mean, mean, value=-1)
        scale = square.sqrt().add(group["eps"])
        if momentum > 0:
            buffer = state["momentum_buffer"].mul_(momentum).addcdiv_(grad, scale)
            self._write(param, buffer, -lr)
        else:
            self._write(param, (grad * -lr).div_(scale))
