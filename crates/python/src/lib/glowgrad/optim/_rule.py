"""How the optimizers of glowgrad take a step, one parameter at a time.

A rule says in `_fresh` what it remembers of a parameter, and in `_update` how it moves it. The
numbers that it counts with (its options, the number of the step) are Python's; in a step that
`lab.train` notes, which is to run again by itself, what changes is a tensor.
"""

import math

import _glowgrad as _C
from glowgrad._place import _widest_float, device
from glowgrad._step_program import note_first, option
from glowgrad._tensor import Tensor
from glowgrad.autograd import enable_grad
from glowgrad.optim.optimizer import Optimizer, _hooked

_CPU = device("cpu")


class Rule(Optimizer):
    """What the optimizers have in common whose step is a rule for one parameter."""

    # What PyTorch's message about `capturable` names.
    _captured_too = "params and state_steps"
    _captured_on = ["cuda", "xpu", "hpu", "privateuseone", "xla"]
    # Attributes that a noted step fills anew before it reads them (`_step_state`).
    _of_one_step = ("_known", "_made", "_moved", "_common")

    def __init__(self, params, defaults):
        self._reset()
        super().__init__(params, defaults)
        if defaults.get("fused"):
            if defaults.get("differentiable"):
                raise RuntimeError("`fused` does not support `differentiable`")
            if defaults.get("foreach"):
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def _reset(self):
        # Tensors on a device that count for all parameters of a group that are as far.
        self._clocks = []
        # The numbers that were last read of counters.
        self._known = {}
        # What a noted step keeps of `_once`.
        self._kept = {}

    def __setstate__(self, state):
        super().__setstate__(state)
        self._reset()
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)
        seen = set()
        for remembered in self.state.values():
            step = remembered.get("step") if isinstance(remembered, dict) else None
            if isinstance(step, (int, float)):
                remembered["step"] = _on_host(step)
            elif step is not None and id(step) in seen:
                remembered["step"] = step.clone()
            seen.add(id(step))

    def step(self, closure=None):
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        is_differentiable = self.defaults.get("differentiable", False)
        # Nothing may raise between what changes a mode and the `try` that puts it back: Stop may come anywhere else.
        taping = _C.set_grad_enabled(is_differentiable)
        # The learner's graph has the write to the parameter alone: see `_write`.
        self._recording = _C.record(False)
        try:
            self._begin()
            for group in self.param_groups:
                if group.get("capturable"):
                    self._check_place(group)
                self._move(group)
        finally:
            _C.record(self._recording)
            _C.set_grad_enabled(taping)
        return loss

    step.__doc__ = Optimizer.step.__doc__
    step = _hooked(step)

    def _begin(self):
        self._is_capturing = _C.is_capturing()
        if not self._is_capturing:
            self._settle()
            self._known, self._kept = {}, {}
        self._made, self._moved, self._common = {}, set(), {}

    def _move(self, group):
        is_maximized, options = group.get("maximize"), self._options(group)
        for param in group["params"]:
            grad = param.grad
            if grad is not None:
                if is_maximized:
                    grad = -grad
                self._update(param, grad, group, self._remembered(param, group, grad), options)

    def _options(self, group):
        """What `_update` needs of a group's options, as numbers."""
        return self._rate(group)

    def _update(self, param, grad, group, state, options):
        raise NotImplementedError

    def _numbers(self, step, group, options):
        """What a step of this number counts with, for all parameters of a group."""
        raise NotImplementedError

    def _fresh(self, state, param, group, grad):
        raise NotImplementedError

    def _remembered(self, param, group, grad):
        state = self.state[param]
        if not state:
            self._fresh(state, param, group, grad)
        return state

    def _check_place(self, group):
        if any(param.grad is not None and param.is_cpu for param in group["params"]):
            raise AssertionError(
                f"If capturable=True, {self._captured_too} must be on supported devices: "
                f"{self._captured_on}."
            )

    def _write(self, param, delta, alpha=None):
        """Adds to a parameter: the one op of a rule that is drawn."""
        if alpha is None:
            _C.record(self._recording)
            param.add_(delta)
        elif isinstance(alpha, Tensor):
            delta = delta.to(param.dtype) * alpha
            _C.record(self._recording)
            param.add_(delta)
        else:
            _C.record(self._recording)
            param.add_(delta, alpha=alpha)
        _C.record(False)

    # Numbers

    def _rate(self, group):
        """The learning rate: on a device in a step that is noted and has a schedule."""
        if self._is_capturing and group["params"]:
            return self._number(option(group, "lr", group["params"][0]))
        return self._number(group["lr"])

    def _number(self, value):
        """An option that may be a tensor: as a number where it need not be one."""
        if not isinstance(value, Tensor):
            return value
        if self._is_capturing or value.requires_grad:
            return value.squeeze() if value.ndim else value
        return value.item()

    def _count(self, state, param, group):
        """The number of this step: a float, or a tensor in a step that is noted."""
        if self._is_capturing:
            return self._tick(state, "step", param, group, lambda step: step.add_(1))
        step = state["step"]
        number = self._known[id(step)] = step.add_(1).item()
        return number

    def _tick(self, state, name, param, group, change):
        """Changes a number that a state remembers, and gives it."""
        counter = state[name]
        if not self._is_capturing:
            change(counter)
            number = self._known[id(counter)] = counter.item()
            return number
        if id(counter) in self._moved:
            return counter
        if not any(counter is clock for clock in self._clocks):
            # From here on it is one tensor for all that are as far.
            known = self._known.get(id(counter))
            key = (name, id(group), param.device, id(counter) if known is None else known)
            if key in self._made:
                counter = state[name] = self._made[key]
                return counter
            if known is None:
                counter = counter.to(param.device).clone()
            else:
                counter = param.new_full((), known, dtype=_C.float32)
            state[name] = self._made[key] = counter
            self._clocks.append(counter)
            note_first()
        change(counter)
        self._moved.add(id(counter))
        return counter

    def _settle(self):
        if not self._clocks or _C.is_capturing():
            return
        read = [(clock, clock.item()) for clock in self._clocks]
        for state in self.state.values():
            for name, value in state.items():
                for clock, number in read:
                    if value is clock:
                        state[name] = _on_host(number)
        self._clocks = []

    def _once(self, step, group, options):
        """`_numbers`, computed once for all parameters that are as far."""
        key = (id(step) if self._is_capturing else step, id(group))
        found = self._common.get(key)
        if found is None:
            found = self._numbers(_wide(step), group, options)
            if self._is_capturing:
                kept = self._kept.setdefault(key, found)
                if kept is not found:
                    for old, value in zip(kept, found):
                        old.copy_(value)
                found = kept
            self._common[key] = found
        return found


def _on_host(number):
    """A counter, which is on the CPU as in PyTorch."""
    with _CPU:
        return _C.full((), number, _C.float32, False, "zeros")


def _zeros(like):
    """What a rule remembers of a parameter, in its shape, dtype and place."""
    return like.detach().new_zeros(like.shape)


def _wide(number):
    """A number; where it is a tensor, in as many digits as its device has."""
    return number.to(_widest_float(number.device)) if isinstance(number, Tensor) else number


def _like(number, tensor):
    """A number; where it is a tensor, in the dtype of another."""
    return number.to(tensor.dtype) if isinstance(number, Tensor) else number


def _decayed(grad, param, decay):
    """The gradient with that of `decay / 2` times the parameter's square."""
    if isinstance(decay, Tensor):
        return grad + _kept(param) * decay
    return grad.add(param, alpha=decay) if decay != 0 else grad


def _shrink(param, lr, decay):
    """Decoupled weight decay."""
    factor = 1 - lr * decay
    if isinstance(factor, Tensor):
        param.copy_(_kept(param) * factor)
    elif decay != 0:
        param.mul_(factor)


def _kept(tensor):
    """A tensor that is soon written on, as a gradient may still need it."""
    return tensor.clone() if _C.is_grad_enabled() else tensor


def _blend_square(square, grad, beta):
    """Moves the average of the squares on, of which `beta` stays."""
    if isinstance(beta, Tensor):
        square.lerp_(grad * grad, 1 - beta)
    else:
        square.mul_(beta).addcmul_(grad, grad, value=1 - beta)


def _correction(beta, step):
    """1 - beta ** step."""
    if not isinstance(step, Tensor) or step.dtype == _C.float64:
        return 1 - beta ** step
    # In float32 the difference would lose digits.
    if isinstance(beta, Tensor):
        return -(step * beta.log()).expm1()
    return -(step * math.log(beta)).expm1() if beta > 0 else step.new_ones(())


def _check_rate(lr, name="Invalid learning rate"):
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(f"{name}: {lr}")


def _check(**options):
    """As PyTorch says it: `Invalid rho value: -1`."""
    for name, value in options.items():
        if not 0.0 <= value:
            name = "epsilon" if name == "eps" else name
            raise ValueError(f"Invalid {name} value: {value}")


def _check_betas(betas):
    for index, beta in enumerate(betas[:2]):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
