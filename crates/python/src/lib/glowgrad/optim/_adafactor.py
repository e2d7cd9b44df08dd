"""`torch.optim.Adafactor`: of a matrix it remembers rows and columns alone."""

from glowgrad._bytes import finfo
from glowgrad._tensor import Tensor
from glowgrad.optim._rule import Rule, _check_rate, _like, _on_host, _shrink, _wide, _zeros

__all__ = ["Adafactor"]


class Adafactor(Rule):
    """Adaptive steps with one number for each row and column to remember (Shazeer and Stern, 2018).

    >>> w = torch.ones(2, 3, requires_grad=True)
    >>> optimizer = optim.Adafactor([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0,
                 weight_decay=0.0, *, foreach=None, maximize=False):
        _check_rate(lr, "Learning rate should be >= 0 but is")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        for index, least in enumerate(eps[:2], 1):
            if not (index == 1 and least is None) and not 0.0 <= least:
                raise ValueError(f"epsilon{index} should be >= 0 but is: {least}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, dict(
            lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay,
            foreach=foreach, maximize=maximize,
        ))

    def _fresh(self, state, param, group, grad):
        state["step"] = _on_host(0)
        if grad.ndim > 1:
            *outer, rows, columns = grad.shape
            state["row_var"] = grad.new_zeros(*outer, rows, 1)
            state["col_var"] = grad.new_zeros(*outer, 1, columns)
        else:
            state["variance"] = _zeros(grad)

    def _numbers(self, step, group, lr):
        return step ** group["beta2_decay"], _least(1 / step ** 0.5, lr)

    def _update(self, param, grad, group, state, lr):
        least, least_size = group["eps"]
        least = finfo(param.dtype).eps if least is None else least
        fresh, rate = self._once(self._count(state, param, group), group, lr)
        rate = self._size(param, least_size) * rate
        _shrink(param, lr, group["weight_decay"])
        if grad.ndim > 1:
            rows, columns = state["row_var"], state["col_var"]
            for means, dim in ((rows, -1), (columns, -2)):
                length = grad.norm(2, dim, keepdim=True)
                means.lerp_((length * length).div_(grad.shape[dim]), _like(fresh, means))
            estimate = rows @ columns
            estimate.div_(rows.mean(-2, keepdim=True).clamp_(min=least))
        else:
            state["variance"].lerp_(grad * grad, _like(fresh, grad))
            estimate = state["variance"].clone()
        update = estimate.clamp_(min=least * least).rsqrt_().mul_(grad)
        self._write(param, update, -rate / self._size(update, 1.0, group["d"]))

    def _size(self, tensor, least, over=1.0):
        """The root of the mean square over a number, at least so much."""
        if self._is_capturing:
            return (_wide(tensor.norm()) / (tensor.numel() ** 0.5 * over)).clamp(min=least)
        return max(least, tensor.norm(2).item() / (tensor.numel() ** 0.5 * over))


def _least(a, b):
    """The lesser number; a tensor where the first is one."""
    if not isinstance(a, Tensor):
        return min(a, b)
    return a.minimum(b.to(a.dtype)) if isinstance(b, Tensor) else a.clamp(max=b)
