"""`torch.optim.adagrad`: steps that get shorter with all the gradients so far."""

import _glowgrad as _C
from glowgrad.optim._rule import Rule, _check, _check_rate, _decayed, _on_host, _zeros

__all__ = ["Adagrad"]


class Adagrad(Rule):
    """Divides each step by the root of the sum of all squared gradients so far (Duchi, 2011).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.Adagrad([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0,
                 eps=1e-10, foreach=None, *, maximize=False, differentiable=False, fused=None):
        _check_rate(lr)
        _check(lr_decay=lr_decay, weight_decay=weight_decay,
               initial_accumulator_value=initial_accumulator_value, eps=eps)
        super().__init__(params, dict(
            lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, foreach=foreach,
            maximize=maximize, differentiable=differentiable, fused=fused,
        ))
        _C.quietly(self._remember_all)

    def _remember_all(self):
        for group in self.param_groups:
            for param in group["params"]:
                self._remembered(param, group, None)

    def share_memory(self):
        """Does nothing: everything runs in one process, whose memory it has.

        >>> optim.Adagrad([torch.ones(1, requires_grad=True)]).share_memory()
        """

    def _fresh(self, state, param, group, grad):
        state["step"] = _on_host(0)
        state["sum"] = _zeros(param).add_(self.defaults["initial_accumulator_value"])

    def _numbers(self, step, group, lr):
        return (-lr / (1 + (step - 1) * group["lr_decay"]),)

    def _update(self, param, grad, group, state, lr):
        (rate,) = self._once(self._count(state, param, group), group, lr)
        grad = _decayed(grad, param, group["weight_decay"])
        state["sum"].addcmul_(grad, grad, value=1)
        scale = state["sum"].sqrt().add(group["eps"])
        self._write(param, (grad * rate).div_(scale))
