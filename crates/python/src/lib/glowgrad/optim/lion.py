"""`optim.Lion`, which PyTorch has not: steps by the sign of the momentum."""

from glowgrad.optim._rule import Rule, _check, _check_betas, _check_rate, _shrink, _zeros

__all__ = ["Lion"]


class Lion(Rule):
    """Moves each element by lr along the sign of its momentum (Chen et al., 2023).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.Lion([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, *, maximize=False,
                 foreach=None, capturable=False, differentiable=False):
        _check_rate(lr)
        _check_betas(betas)
        _check(weight_decay=weight_decay)
        super().__init__(params, dict(
            lr=lr, betas=betas, weight_decay=weight_decay, maximize=maximize, foreach=foreach,
            capturable=capturable, differentiable=differentiable,
        ))

    def _fresh(self, state, param, group, grad):
        state["exp_avg"] = _zeros(param)

    def _update(self, param, grad, group, state, lr):
        (beta1, beta2), mean = group["betas"], state["exp_avg"]
        _shrink(param, lr, group["weight_decay"])
        direction = mean.lerp(grad, 1 - beta1).sign()
        mean.lerp_(grad, 1 - beta2)
        self._write(param, direction, -lr)
