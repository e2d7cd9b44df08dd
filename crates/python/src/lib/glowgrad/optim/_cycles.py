"""Schedules that go up and down."""

import math

from glowgrad.optim._scheduler import (
    LRScheduler, _cycle_momentum, _for_groups, _needs_optimizer, _packed, _put, _put_momentum,
)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine waves down to `eta_min`, each `T_mult` times as long as the last (Loshchilov, 2016).

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> for epoch in range(3):
    >>>     print(scheduler.get_last_lr())
    >>>     optimizer.step()
    >>>     scheduler.step()
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0, self.T_i, self.T_mult = T_0, T_0, T_mult
        self.eta_min, self.T_cur = eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._check_call()
        least, wave = self.eta_min, 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [least + (lr - least) * wave / 2 for lr in self.base_lrs]

    def step(self, epoch=None):
        """Sets the next learning rates; an epoch may be a fraction, `epoch + i / n_batches`.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
        >>> scheduler.step(0.5)
        >>> scheduler.get_last_lr()
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        else:
            self._find(epoch)
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        try:
            rates = self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        self._set(rates)

    def _find(self, epoch):
        """In which wave an epoch lies, and where in it."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            grown = self.T_mult - 1
            n = int(math.log(epoch / self.T_0 * grown + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult ** n - 1) / grown
            self.T_i = self.T_0 * self.T_mult ** n


class CyclicLR(LRScheduler):
    """Goes from `base_lr` up to `max_lr` and back, again and again (Smith, 2015).

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    >>> scheduler = optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.5, step_size_up=2)
    >>> for step in range(4):
    >>>     print(scheduler.get_last_lr())
    >>>     optimizer.step()
    >>>     scheduler.step()
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None,
                 mode="triangular", gamma=1.0, scale_fn=None, scale_mode="cycle",
                 cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1):
        _needs_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _for_groups("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                _put(group, "lr", lr)
        self.max_lrs = _for_groups("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = _cycle_momentum(
                self, base_momentum, max_momentum, last_epoch == -1
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x):
        """By how much a cycle is lower than the first one.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
        >>> optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.5, mode="triangular2").scale_fn(2)
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return self.gamma ** x
        return 1.0 if self.mode == "triangular" else 1 / 2.0 ** (x - 1)

    def get_lr(self):
        self._check_call()
        position = self.last_epoch / self.total_size
        cycle = math.floor(1 + position)
        x = 1.0 + position - cycle
        is_rising = x <= self.step_ratio
        height = x / self.step_ratio if is_rising else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ends = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums)
            for group, low, high in ends:
                _put_momentum(self, group, high - (high - low) * height * scale)
        return [
            low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs)
        ]

    def state_dict(self):
        state = super().state_dict()
        function = state.pop("_scale_fn_custom")
        return {**state, "_scale_fn_custom": None if function is None else _packed(function)}

    def load_state_dict(self, state_dict):
        state = dict(state_dict)
        function = state.pop("_scale_fn_custom")
        super().load_state_dict(state)
        if function is not None:
            self._scale_fn_custom.__dict__.update(function)


class OneCycleLR(LRScheduler):
    """Up to `max_lr` once, then down far below where it began: one call of `step` for each batch.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    >>> scheduler = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=5)
    >>> for step in range(4):
    >>>     print(scheduler.get_last_lr())
    >>>     optimizer.step()
    >>>     scheduler.step()
    """

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None,
                 pct_start=0.3, anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85,
                 max_momentum=0.95, div_factor=25.0, final_div_factor=1e4, three_phase=False,
                 last_epoch=-1):
        _needs_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            self.total_steps = _positive("total_steps", total_steps, total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            _positive("epochs", epochs, 1)
            _positive("steps_per_epoch", steps_per_epoch, 1)
            self.total_steps = epochs * steps_per_epoch
        else:
            raise ValueError(
                "You must define either total_steps OR (epochs AND steps_per_epoch)"
            )
        rise = float(pct_start * self.total_steps) - 1
        up = _phase(rise, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        last = self.total_steps - 1
        if three_phase:
            back = float(2 * pct_start * self.total_steps) - 2
            self._schedule_phases = [
                up, _phase(back, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                _phase(last, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            self._schedule_phases = [
                up, _phase(last, "max_lr", "min_lr", "base_momentum", "max_momentum"),
            ]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                "anneal_strategy must be one of 'cos' or 'linear', instead got "
                f"{anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        highest = _for_groups("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for lr, group in zip(highest, optimizer.param_groups):
                group["initial_lr"] = lr / div_factor
                group["max_lr"] = lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            _cycle_momentum(self, base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start, end, part):
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return (end - start) * part + start

    def get_lr(self):
        self._check_call()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        *earlier, last = self._schedule_phases
        phase, start = last, earlier[-1]["end_step"]
        for index, each in enumerate(earlier):
            if step <= each["end_step"]:
                phase, start = each, earlier[index - 1]["end_step"] if index else 0.0
                break
        part = (step - start) / (phase["end_step"] - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _put_momentum(self, group, self._anneal(*ends, part))
        return rates


def _positive(name, value, least):
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return least


def _phase(end_step, start_lr, end_lr, start_momentum, end_momentum):
    return dict(
        end_step=end_step, start_lr=start_lr, end_lr=end_lr, start_momentum=start_momentum,
        end_momentum=end_momentum,
    )
