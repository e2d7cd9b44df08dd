"""`torch.optim.Muon`: momentum whose matrix is made orthogonal."""

import math

import _glowgrad as _C
from glowgrad.optim._rule import Rule, _check_rate, _shrink, _zeros

__all__ = ["Muon"]

_FUNCTIONS = ["original", "match_rms_adamw", "spectral_unclamped"]


class Muon(Rule):
    """Momentum for matrices, which is made orthogonal in each step (Jordan, 2024).

    >>> w = torch.eye(2, requires_grad=True)
    >>> optimizer = optim.Muon([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w.shape
    """

    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
                 ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-7, ns_steps=5,
                 adjust_lr_fn=None):
        _check_rate(lr, "Learning rate should be >= 0 but is")
        for name, value in (("momentum", momentum), ("weight decay", weight_decay)):
            if not 0.0 <= value:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn is not None and adjust_lr_fn not in _FUNCTIONS:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, dict(
            lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov,
            ns_coefficients=ns_coefficients, eps=eps, ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn,
        ))
        for group in self.param_groups:
            for param in group["params"]:
                if param.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{param.shape}"
                    )

    def _fresh(self, state, param, group, grad):
        state["momentum_buffer"] = _zeros(grad)

    def _update(self, param, grad, group, state, lr):
        if grad.ndim != 2:
            raise ValueError("Param gradient must be a 2D matrix")
        momentum = group["momentum"]
        buffer = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        update = grad.lerp(buffer, momentum) if group["nesterov"] else buffer
        update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rate = lr * _ratio(group["adjust_lr_fn"], *param.shape)
        _shrink(param, lr, group["weight_decay"])
        self._write(param, update, -rate)


def _ratio(function, rows, columns):
    """By how much a matrix of this shape moves further than lr."""
    if function == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    if function == "spectral_unclamped":
        return math.sqrt(rows / columns)
    return math.sqrt(max(1, rows / columns))


def _orthogonal(matrix, coefficients, n_steps, eps):
    """A matrix with the same singular vectors, whose singular values are near 1."""
    if n_steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = matrix.to(_C.bfloat16)
    is_tall = matrix.shape[0] > matrix.shape[1]
    if is_tall:
        x = x.T
    x = x / x.norm().clamp(min=eps)
    for _ in range(n_steps):
        gram = x @ x.T
        x = _C.addmm(x, _C.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if is_tall else x
