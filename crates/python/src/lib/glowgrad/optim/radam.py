"""`torch.optim.radam`: Adam that waits until it knows the size of its gradients."""

import math

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad.optim._rule import (
    Rule, _blend_square, _check, _check_betas, _check_rate, _correction, _decayed, _on_host,
    _shrink, _zeros,
)

__all__ = ["RAdam"]


class RAdam(Rule):
    """Adam that scales its steps only once their variance is known (Liu et al., 2019).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.RAdam([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):
        _check_rate(lr)
        _check(eps=eps)
        _check_betas(betas)
        _check(weight_decay=weight_decay)
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize,
            foreach=foreach, capturable=capturable, decoupled_weight_decay=decoupled_weight_decay,
            differentiable=differentiable,
        ))

    def _fresh(self, state, param, group, grad):
        state["step"] = _on_host(0)
        state["exp_avg"], state["exp_avg_sq"] = _zeros(param), _zeros(param)

    def _numbers(self, step, group, lr):
        beta1, beta2 = group["betas"]
        correction2 = _correction(beta2, step)
        # How many gradients the mean square is made of, and how many in the long run.
        most = 2 / (1 - beta2) - 1
        if isinstance(step, Tensor) and step.dtype == _C.float32 and beta2 > 0:
            n = _n_in_few_digits(step, beta2, most)
        else:
            n = most - 2 * step * beta2 ** step / correction2
        trust = 0.0
        if isinstance(n, Tensor) or n > 5.0:
            trust = (n - 4) * (n - 2) * most / ((most - 4) * (most - 2) * n)
        if isinstance(n, Tensor):
            trust = trust.clamp(min=0)
        return _correction(beta1, step), correction2 ** 0.5, trust ** 0.5, n

    def _update(self, param, grad, group, state, lr):
        beta1, beta2 = group["betas"]
        step = self._count(state, param, group)
        correction1, root, trust, n = self._once(step, group, lr)
        if not group["decoupled_weight_decay"]:
            grad = _decayed(grad, param, group["weight_decay"])
        else:
            _shrink(param, lr, group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        _blend_square(square, grad, beta2)
        plain = mean / correction1 * lr
        if isinstance(n, Tensor) or n > 5.0:
            scaled = plain * (root / square.sqrt().add(group["eps"])) * trust
            plain = _C.where(n > 5.0, scaled, plain) if isinstance(n, Tensor) else scaled
        self._write(param, plain, -1)


def _n_in_few_digits(step, beta2, most):
    """most - 2 * step / (beta2 ** -step - 1); a series where the difference would lose digits."""
    slope = -math.log(beta2)
    u = step * slope
    near = most - 2 / slope + step * (1 - u / 6 * (1 - u * u / 60 * (1 - u * u / 42)))
    return _C.where(u < 1, near, most - 2 * step / u.expm1())
