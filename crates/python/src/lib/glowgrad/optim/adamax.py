"""`torch.optim.adamax`: Adam with the largest gradient so far in the place of the mean square."""

from glowgrad.optim._rule import (
    Rule, _check, _check_betas, _check_rate, _correction, _decayed, _kept, _on_host, _zeros,
)

__all__ = ["Adamax"]


class Adamax(Rule):
    """Adam that divides by the largest gradient so far, which fades (Kingma and Ba, 2014).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.Adamax([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None,
                 *, maximize=False, differentiable=False, capturable=False):
        _check_rate(lr)
        _check(eps=eps)
        _check_betas(betas)
        _check(weight_decay=weight_decay)
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach,
            maximize=maximize, differentiable=differentiable, capturable=capturable,
        ))

    def _fresh(self, state, param, group, grad):
        state["step"] = _on_host(0)
        state["exp_avg"], state["exp_inf"] = _zeros(param), _zeros(param)

    def _numbers(self, step, group, lr):
        return (-lr / _correction(group["betas"][0], step),)

    def _update(self, param, grad, group, state, lr):
        beta1, beta2 = group["betas"]
        (rate,) = self._once(self._count(state, param, group), group, lr)
        grad = _decayed(grad, param, group["weight_decay"])
        mean, largest = state["exp_avg"], state["exp_inf"]
        mean.lerp_(grad, 1 - beta1)
        largest.copy_((largest * beta2).maximum(grad.abs().add_(group["eps"])))
        self._write(param, _kept(mean) * rate / _kept(largest))
