"""`torch.optim.adam`: steps that are scaled by the gradients so far."""

from glowgrad._step_program import option
from glowgrad._tensor import Tensor
from glowgrad.optim._rule import (
    Rule, _blend_square, _check, _check_betas, _check_rate, _correction, _decayed, _kept,
    _on_host, _shrink, _zeros,
)

__all__ = ["Adam", "AdamW"]


class Adam(Rule):
    """Adaptive moments: each step is scaled by the gradients so far (Kingma and Ba, 2014).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.Adam([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 amsgrad=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False, fused=None, decoupled_weight_decay=False):
        _no_foreach("lr", lr, foreach, capturable)
        _check_rate(lr)
        _check(eps=eps)
        _check_betas(betas)
        _check(weight_decay=weight_decay)
        if not any(all(isinstance(b, kind) for b in betas[:2]) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for index, beta in enumerate(betas[:2]):
            _no_foreach(f"betas[{index}]", beta, foreach, capturable)
            if isinstance(beta, Tensor) and beta.numel() != 1:
                raise ValueError(f"Tensor betas[{index}] must be 1-element")
        super().__init__(params, dict(
            lr=lr, betas=(betas[0], betas[1]), eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
            maximize=maximize, foreach=foreach, capturable=capturable,
            differentiable=differentiable, fused=fused,
            decoupled_weight_decay=decoupled_weight_decay,
        ))

    def _fresh(self, state, param, group, grad):
        state["step"] = _on_host(0)
        state["exp_avg"], state["exp_avg_sq"] = _zeros(param), _zeros(param)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = _zeros(param)

    def _options(self, group):
        decay = group["weight_decay"]
        if not isinstance(decay, Tensor) and decay == 0:
            decay = None
        beta1, beta2 = group["betas"]
        if self._is_capturing and "max_momentum" in group and group["params"]:
            # A schedule cycles it.
            beta1 = option(group, "betas", group["params"][0])
        return self._rate(group), self._number(beta1), self._number(beta2), decay

    def _numbers(self, step, group, options):
        lr, beta1, beta2, _ = options
        return -lr / _correction(beta1, step), _correction(beta2, step) ** 0.5

    def _update(self, param, grad, group, state, options):
        lr, beta1, beta2, decay = options
        rate, correction = self._once(self._count(state, param, group), group, options)
        if decay is not None:
            if group["decoupled_weight_decay"]:
                _shrink(param, lr, decay)
            else:
                grad = _decayed(grad, param, decay)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        _blend_square(square, grad, beta2)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = largest.copy_(_kept(largest).maximum(_kept(square)))
        scale = (square.sqrt() / correction).add_(group["eps"])
        self._write(param, (_kept(mean) * rate).div_(scale))


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2017).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.AdamW([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2,
                 amsgrad=False, *, maximize=False, foreach=None, capturable=False,
                 differentiable=False, fused=None):
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


def _no_foreach(name, value, foreach, capturable):
    if isinstance(value, Tensor) and foreach and not capturable:
        raise ValueError(
            f"{name} as a Tensor is not supported for capturable=False and foreach=True"
        )
