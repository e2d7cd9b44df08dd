"""Optimisers: they write parameters in place from their gradients, off the tape."""

import _glowgrad as _C


class Optimizer:
    """The base: parameters in groups, each with its options."""

    def __init__(self, params, defaults):
        params = list(params)
        if len(params) == 0:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(params[0], dict):
            params = [{"params": params}]
        self.defaults = defaults
        self.param_groups = []
        self.state = {}
        for group in params:
            group = dict(group)
            listed = group["params"]
            group["params"] = [listed] if isinstance(listed, _C.Tensor) else list(listed)
            for param in group["params"]:
                if not isinstance(param, _C.Tensor):
                    raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}")
                if not param.is_leaf:
                    raise ValueError("can't optimize a non-leaf Tensor")
            for name, value in defaults.items():
                group.setdefault(name, value)
            self.param_groups.append(group)

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for param in group["params"]:
                if set_to_none:
                    param.grad = None
                elif param.grad is not None:
                    param.grad.zero_()

    def step(self):
        grad = _C.set_grad_enabled(False)
        try:
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group)
        finally:
            _C.set_grad_enabled(grad)

    def _update(self, param, grad, group):
        raise NotImplementedError

    def __repr__(self):
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"


def _not_negative(name, value):
    if value < 0.0:
        raise ValueError(f"Invalid {name}: {value}")


class SGD(Optimizer):
    """w ← w − lr · g, with momentum, weight decay and Nesterov's variant as in PyTorch."""

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False):
        _not_negative("learning rate", lr)
        _not_negative("momentum value", momentum)
        _not_negative("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )

    def _update(self, param, grad, group):
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            grad = grad + param.detach() * group["weight_decay"]
        momentum = group["momentum"]
        if momentum != 0:
            buffer = self.state.get(param)
            if buffer is None:
                buffer = grad.detach().clone()
                self.state[param] = buffer
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad + buffer * momentum if group["nesterov"] else buffer
        param.add_(grad, alpha=-group["lr"])


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and its square (Kingma & Ba 2015)."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
        _not_negative("learning rate", lr)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def _update(self, param, grad, group):
        if group["weight_decay"] != 0:
            grad = grad + param.detach() * group["weight_decay"]
        beta1, beta2 = group["betas"]
        state = self.state.get(param)
        if state is None:
            state = {"step": 0, "mean": grad * 0, "square": grad * 0}
            self.state[param] = state
        state["step"] += 1
        state["mean"].mul_(beta1).add_(grad, alpha=1 - beta1)
        state["square"].mul_(beta2).add_(grad * grad, alpha=1 - beta2)
        correction1 = 1 - beta1 ** state["step"]
        correction2 = 1 - beta2 ** state["step"]
        spread = state["square"].sqrt() / correction2**0.5 + group["eps"]
        param.add_(state["mean"] / spread, alpha=-group["lr"] / correction1)
