"""`torch.optim`: optimisers. The arithmetic is PyTorch's, in its order, so that numbers agree."""

import math

import _glowgrad as _C
from glowgrad._place import _widest_float
from glowgrad._tensor import Tensor
from glowgrad.autograd import enable_grad, no_grad
from glowgrad.nn.module import _zero_grad


class Optimizer:
    """Groups of parameters with their options, and what an optimiser remembers of each.

    >>> w = torch.ones(1, requires_grad=True)
    >>> isinstance(optim.SGD([w]), optim.Optimizer)
    """

    def __init__(self, params, defaults):
        self.defaults = defaults
        self.state = {}
        self.param_groups = []
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got {type(params).__name__}"
            )
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Adds parameters with options of their own.

        >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> optimizer = optim.SGD([a], lr=0.1)
        >>> optimizer.add_param_group({"params": [b], "lr": 0.01})
        >>> len(optimizer.param_groups)
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group).__name__}")
        group = dict(param_group)
        params = group["params"]
        group["params"] = [params] if isinstance(params, Tensor) else list(params)
        known = {id(p) for other in self.param_groups for p in other["params"]}
        for param in group["params"]:
            if isinstance(param, tuple) and len(param) == 2:
                raise TypeError("optimizer: got named parameters, expected model.parameters()")
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is "
                    f"{type(param).__name__}"
                )
            if not param.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if id(param) in known:
                raise ValueError("some parameters appear in more than one parameter group")
        for name, value in self.defaults.items():
            group.setdefault(name, value)
        self.param_groups.append(group)

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients, so that those of the next `backward()` are not added to them.

        >>> w = torch.ones(1, requires_grad=True)
        >>> optimizer = optim.SGD([w], lr=0.1)
        >>> w.sum().backward()
        >>> optimizer.zero_grad()
        >>> w.grad is None
        """
        for group in self.param_groups:
            for param in group["params"]:
                _zero_grad(param, set_to_none)

    def step(self, closure=None):
        """Moves every parameter one step along its gradient.

        >>> w = torch.ones(1, requires_grad=True)
        >>> optimizer = optim.SGD([w], lr=0.1)
        >>> w.sum().backward()
        >>> optimizer.step()
        >>> w
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group, self._state(param))
        return loss

    def _state(self, param):
        if param not in self.state:
            self.state[param] = {}
        return self.state[param]

    def _update(self, param, grad, group, state):
        raise NotImplementedError

    def state_dict(self):
        """What the optimizer remembers, and its options, as a dict.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> list(optimizer.state_dict())
        """
        numbers, groups = {}, []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers.setdefault(id(p), len(numbers)) for p in group["params"]]
            groups.append(packed)
        state = {numbers[id(param)]: dict(value) for param, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Takes over what `state_dict` gave.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> optimizer.load_state_dict(optimizer.state_dict())
        """
        groups = state_dict["param_groups"]
        sizes = [len(group["params"]) for group in groups]
        if sizes != [len(group["params"]) for group in self.param_groups]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        by_number = {}
        for own, loaded in zip(self.param_groups, groups):
            by_number.update(zip(loaded["params"], own["params"]))
            own.update({name: value for name, value in loaded.items() if name != "params"})
        self.state = {by_number[n]: dict(value) for n, value in state_dict["state"].items()}

    def __repr__(self):
        lines = [f"{type(self).__name__} ("]
        for index, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {index}")
            for name in sorted(group):
                if name != "params":
                    lines.append(f"    {name}: {group[name]}")
        return "\n".join(lines + [")"])


def _check(name, value):
    if value < 0.0:
        raise ValueError(f"Invalid {name}: {value}")


class SGD(Optimizer):
    """Stochastic gradient descent: each parameter moves by lr times its gradient; with momentum if you like.

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False,
                 *, maximize=False):
        _check("learning rate", lr)
        _check("momentum value", momentum)
        _check("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, dict(
            lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
            nesterov=nesterov, maximize=maximize,
        ))

    def _update(self, param, grad, group, state):
        momentum = group["momentum"]
        if group["maximize"]:
            grad = _C.quietly(grad.neg)
        if group["weight_decay"] != 0:
            grad = _C.quietly(lambda: grad.add(param, alpha=group["weight_decay"]))
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = _C.quietly(lambda: grad.detach().clone())
            else:
                _C.quietly(lambda: buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"]))
            if group["nesterov"]:
                grad = _C.quietly(lambda: grad.add(buffer, alpha=momentum))
            else:
                grad = buffer
        param.add_(grad, alpha=-group["lr"])


class Adam(Optimizer):
    """Adaptive moments: each parameter's step is scaled by its gradients so far (Kingma and Ba, 2014).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.Adam([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 amsgrad=False, *, maximize=False):
        _check("learning rate", lr)
        _check("epsilon value", eps)
        _check("weight_decay value", weight_decay)
        for index, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        if amsgrad:
            raise NotImplementedError("amsgrad is not here; leave it out")
        self._kept_corrections = {}
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize,
        ))

    def step(self, closure=None):
        """One step along the gradients."""
        self._counted = {}
        if not _C.is_capturing():
            self._kept_corrections = {}
        return super().step(closure)

    def _update(self, param, grad, group, state):
        lr, betas = group["lr"], group["betas"]
        step = state["step"] = self._next(state.get("step", 0), param)
        is_tensor = isinstance(step, Tensor)
        corrections = self._corrections(step, betas) if is_tensor else [1 - b ** step for b in betas]

        def direction():
            beta1, beta2 = betas
            decay = group["weight_decay"]
            g = -grad if group["maximize"] else grad
            if decay != 0 and self.decoupled:
                param.mul_(1 - lr * decay)
            elif decay != 0:
                g = g.add(param, alpha=decay)
            if "exp_avg" not in state:
                state["exp_avg"] = param.new_zeros(param.shape)
                state["exp_avg_sq"] = param.new_zeros(param.shape)
            mean, square = state["exp_avg"], state["exp_avg_sq"]
            mean.add_((g - mean) * (1 - beta1))
            square.mul_(beta2).add_(g * g, alpha=1 - beta2)
            return mean / (square.sqrt() / corrections[1] ** 0.5).add_(group["eps"])

        moved = _C.quietly(direction)
        if is_tensor:
            param.add_(_C.quietly(lambda: moved * (-lr / corrections[0])))
        else:
            param.add_(moved, alpha=-lr / corrections[0])

    def _next(self, step, param):
        """The number of the step after `step`: a tensor in steps that are to run again by themselves."""
        if not _C.is_capturing():
            if isinstance(step, Tensor):
                if id(step) not in self._counted:
                    self._counted[id(step)] = int(step.item())
                step = self._counted[id(step)]
            return step + 1
        # All parameters that are as far have one tensor: it moves once a step.
        key = (id(step) if isinstance(step, Tensor) else step, param.device)
        if key not in self._counted:
            if isinstance(step, Tensor):
                _C.quietly(lambda: step.add_(1))
            else:
                dtype = _widest_float(param.device)
                step = _C.quietly(lambda: param.new_full((), step + 1, dtype=dtype))
            self._counted[key] = step
        return self._counted[key]

    def _corrections(self, step, betas):
        """1 - beta ** step for both betas, once a step and for all parameters that are as far."""
        key = (id(step), betas)
        if key not in self._counted:
            kept = self._kept_corrections.setdefault(key, [])
            new = _C.quietly(lambda: [_correction(beta, step) for beta in betas])
            if kept:
                _C.quietly(lambda: [old.copy_(value) for old, value in zip(kept, new)])
            else:
                kept.extend(new)
            self._counted[key] = kept
        return self._counted[key]


def _correction(beta, step):
    """1 - beta ** step, a tensor."""
    if step.dtype == _C.float64 or beta == 0:
        return 1 - beta ** step
    # In float32 the difference would lose digits.
    return -(step * math.log(beta)).expm1()


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2017).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.AdamW([w], lr=0.1)
    >>> (w ** 2).sum().backward()
    >>> optimizer.step()
    >>> w
    """

    decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2,
                 amsgrad=False, *, maximize=False):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
