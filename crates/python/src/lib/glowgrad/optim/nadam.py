"""`torch.optim.nadam`: Adam with Nesterov's momentum."""

from glowgrad.optim._rule import (
    Rule, _blend_square, _check, _check_betas, _check_rate, _correction, _decayed, _kept, _like,
    _on_host, _shrink, _wide, _zeros,
)

__all__ = ["NAdam"]


class NAdam(Rule):
    """Adam that looks ahead along its momentum, as Nesterov's does (Dozat, 2016).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.NAdam([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    _captured_too = "params, mu_products and state_steps"

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 momentum_decay=4e-3, decoupled_weight_decay=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False):
        _check_rate(lr)
        _check(eps=eps)
        _check_betas(betas)
        _check(weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay,
            decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, foreach=foreach,
            capturable=capturable, differentiable=differentiable,
        ))

    def _fresh(self, state, param, group, grad):
        state["step"], state["mu_product"] = _on_host(0), _on_host(1)
        state["exp_avg"], state["exp_avg_sq"] = _zeros(param), _zeros(param)

    def _numbers(self, step, group, lr):
        (beta1, beta2), slowing = group["betas"], group["momentum_decay"]
        momenta = [
            beta1 * (1.0 - 0.5 * 0.96 ** (each * slowing)) for each in (step, step + 1)
        ]
        return _correction(beta2, step), *momenta

    def _update(self, param, grad, group, state, lr):
        beta1, beta2 = group["betas"]
        step = self._count(state, param, group)
        correction, now, following = self._once(step, group, lr)
        product = _wide(self._tick(
            state, "mu_product", param, group, lambda so_far: so_far.mul_(_like(now, so_far))
        ))
        if not group["decoupled_weight_decay"]:
            grad = _decayed(grad, param, group["weight_decay"])
        else:
            _shrink(param, lr, group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        _blend_square(square, grad, beta2)
        scale = (square / correction).sqrt().add(group["eps"])
        param.add_((grad * (-lr * (1.0 - now) / (1.0 - product))).div_(scale))
        ahead = -lr * following / (1.0 - product * following)
        self._write(param, (_kept(mean) * ahead).div_(scale))
