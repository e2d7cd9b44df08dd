"""`torch.optim.adadelta`: steps as long as those before, whatever the unit of the loss."""

from glowgrad.optim._rule import (
    Rule, _blend_square, _check, _check_rate, _decayed, _on_host, _zeros,
)

__all__ = ["Adadelta"]


class Adadelta(Rule):
    """Scales each step by the size of the steps before over that of the gradients (Zeiler, 2012).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.Adadelta([w])
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    _captured_on = Rule._captured_on[:-1]

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *,
                 capturable=False, maximize=False, differentiable=False):
        _check_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        _check(eps=eps, weight_decay=weight_decay)
        super().__init__(params, dict(
            lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize,
            capturable=capturable, foreach=foreach, differentiable=differentiable,
        ))

    def _fresh(self, state, param, group, grad):
        state["step"] = _on_host(0)
        state["square_avg"], state["acc_delta"] = _zeros(param), _zeros(param)

    def _update(self, param, grad, group, state, lr):
        rho, eps = group["rho"], group["eps"]
        self._count(state, param, group)
        grad = _decayed(grad, param, group["weight_decay"])
        square, moved = state["square_avg"], state["acc_delta"]
        _blend_square(square, grad, rho)
        delta = moved.add(eps).sqrt() / square.add(eps).sqrt() * grad
        _blend_square(moved, delta, rho)
        self._write(param, delta, -lr)
