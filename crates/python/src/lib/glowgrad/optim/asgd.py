"""`torch.optim.asgd`: descent, and the average of the places it has been."""

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad.optim._rule import Rule, _check, _check_rate, _decayed, _on_host, _wide, _zeros

__all__ = ["ASGD"]


class ASGD(Rule):
    """Descent that keeps the average of its places in `state[p]["ax"]` (Polyak and Juditsky, 1992).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.ASGD([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    _captured_too = "params, mus, etas, and state_steps"

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0,
                 foreach=None, maximize=False, differentiable=False, capturable=False):
        _check_rate(lr)
        _check(lambd=lambd, alpha=alpha, weight_decay=weight_decay)
        super().__init__(params, dict(
            lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, foreach=foreach,
            maximize=maximize, differentiable=differentiable, capturable=capturable,
        ))

    def _fresh(self, state, param, group, grad):
        lr = group["lr"]
        lr = lr.item() if isinstance(lr, Tensor) else lr
        state["step"] = _on_host(0)
        state["eta"] = param.new_full((), lr, dtype=_C.float32)
        state["mu"] = param.new_full((), 1, dtype=_C.float32)
        state["ax"] = _zeros(param)

    def _update(self, param, grad, group, state, lr):
        lambd, t0 = group["lambd"], group["t0"]
        step = _wide(self._count(state, param, group))
        average, eta, mu = state["ax"], state["eta"], state["mu"]
        grad = _decayed(grad, param, group["weight_decay"])
        eta, mu = (eta.item(), mu.item()) if isinstance(step, float) else (_wide(eta), mu)
        param.mul_(1 - lambd * eta)
        self._write(param, grad, -eta)
        if isinstance(mu, Tensor):
            average.copy_(_C.where(mu == 1, param, average + (param - average) * mu))
        elif mu == 1:
            average.copy_(param)
        else:
            average.add_(param.sub(average).mul_(mu))
        state["eta"].copy_(lr / (1 + lambd * lr * step) ** group["alpha"])
        late = (step - t0).clamp(min=1) if isinstance(step, Tensor) else max(1, step - t0)
        state["mu"].copy_(1 / late)
