"""`torch.optim.rprop`: steps by the sign of the gradient alone."""

from glowgrad._tensor import Tensor
from glowgrad.optim._rule import Rule, _check_rate, _kept, _on_host, _zeros

__all__ = ["Rprop"]


class Rprop(Rule):
    """Lengthens steps while the gradient keeps its sign, and shortens them when it turns.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.Rprop([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        _check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, dict(
            lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize,
            differentiable=differentiable, capturable=capturable,
        ))

    def _fresh(self, state, param, group, grad):
        lr = group["lr"]
        state["step"] = _on_host(0)
        state["prev"] = _zeros(param)
        state["step_size"] = _zeros(grad).add_(lr.item() if isinstance(lr, Tensor) else lr)

    def _update(self, param, grad, group, state, lr):
        (shorter, longer), (least, most) = group["etas"], group["step_sizes"]
        self._count(state, param, group)
        before, size = state["prev"], state["step_size"]
        turn = grad.mul(_kept(before)).sign()
        has_turned = turn < 0
        factor = turn.masked_fill(turn > 0, longer).masked_fill(has_turned, shorter)
        size.mul_(factor.masked_fill(turn == 0, 1)).clamp_(least, most)
        # Where the sign has turned, the parameter stays where it is for once.
        grad = grad.masked_fill(has_turned, 0)
        before.copy_(grad)
        self._write(param, (grad.sign() * _kept(size)).neg_())
