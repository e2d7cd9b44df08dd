"""`torch.optim.sgd`: descent along the gradient, with momentum."""

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad._step_program import option
from glowgrad.optim._rule import Rule, _decayed

__all__ = ["SGD"]


class SGD(Rule):
    """Stochastic gradient descent: each parameter moves by lr times its gradient or momentum.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False,
                 *, maximize=False, foreach=None, differentiable=False, fused=None):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for name, value in (
            ("learning rate", lr), ("momentum value", momentum),
            ("weight_decay value", weight_decay),
        ):
            if value < 0.0:
                raise ValueError(f"Invalid {name}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, dict(
            lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
            nesterov=nesterov, maximize=maximize, foreach=foreach, differentiable=differentiable,
            fused=fused,
        ))

    def _move(self, group):
        is_plain = not (group["momentum"] or group["weight_decay"] or group["maximize"])
        lr = self._rate(group)
        if not is_plain or isinstance(lr, Tensor):
            super()._move(group)
            return
        _C.record(self._recording)
        for param in group["params"]:
            grad = param.grad
            if grad is not None:
                param.add_(grad, alpha=-lr)
        _C.record(False)

    def _remembered(self, param, group, grad):
        return self.state[param] if group["momentum"] != 0 else None

    def _update(self, param, grad, group, state, lr):
        momentum = self._momentum(param, group)
        grad = _decayed(grad, param, group["weight_decay"])
        if group["momentum"] != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = _plus(grad, buffer, momentum) if group["nesterov"] else buffer
        self._write(param, grad, -lr)

    def _momentum(self, param, group):
        """The momentum: on a device in a step that is noted and has a schedule that cycles it."""
        if self._is_capturing and "max_momentum" in group:
            return option(group, "momentum", param)
        return group["momentum"]


def _plus(grad, buffer, momentum):
    if isinstance(momentum, Tensor):
        return grad + buffer * momentum
    return grad.add(buffer, alpha=momentum)
