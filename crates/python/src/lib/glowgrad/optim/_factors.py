"""Schedules that multiply the learning rate by something."""

import math
from collections import Counter

from glowgrad.optim._scheduler import LRScheduler, _functions, _n_up_to, _packed


class _Lambdas(LRScheduler):
    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        self.lr_lambdas = _functions(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        state = super().state_dict()
        state.pop("lr_lambdas")
        return {**state, "lr_lambdas": [_packed(function) for function in self.lr_lambdas]}

    def load_state_dict(self, state_dict):
        self.__dict__.update(
            {name: value for name, value in state_dict.items() if name != "lr_lambdas"}
        )
        for own, loaded in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if loaded is not None:
                own.__dict__.update(loaded)


class LambdaLR(_Lambdas):
    """The initial learning rate times a function of the epoch.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5 ** epoch)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    """

    def get_lr(self):
        self._check_call()
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(_Lambdas):
    """Multiplies the learning rate by a function of the epoch, each time anew.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.95)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        for function in _functions(optimizer, lr_lambda):
            if not callable(function):
                raise TypeError(
                    f"lr_lambda should be a function, but got {type(function).__name__}"
                )
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self):
        self._check_call()
        if self._is_initial:
            return self._values("lr")
        groups = self.optimizer.param_groups
        return [group["lr"] * f(self.last_epoch) for f, group in zip(self.lr_lambdas, groups)]


class StepLR(LRScheduler):
    """Multiplies the learning rate by gamma every `step_size` epochs.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for epoch in range(4):
    >>>     optimizer.step()
    >>>     scheduler.step()
    >>>     print(scheduler.get_last_lr())
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._check_call()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._values("lr")
        return self._scaled(self.gamma)

    def _get_closed_form_lr(self):
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [lr * factor for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies the learning rate by gamma at each of these epochs.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> for epoch in range(4):
    >>>     optimizer.step()
    >>>     scheduler.step()
    >>>     print(scheduler.get_last_lr())
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._check_call()
        if self.last_epoch not in self.milestones:
            return self._values("lr")
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self):
        passed = _n_up_to(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma ** passed for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """A part of the learning rate for the first epochs, all of it from then on.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> for epoch in range(3):
    >>>     print(scheduler.get_last_lr())
    >>>     optimizer.step()
    >>>     scheduler.step()
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._check_call()
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        if self.last_epoch != self.total_iters:
            return self._values("lr")
        return self._scaled(1.0 / self.factor)

    def _get_closed_form_lr(self):
        is_over = self.last_epoch >= self.total_iters
        return [lr * (self.factor + is_over * (1 - self.factor)) for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """A part of the learning rate that grows or falls in a line for the first epochs: a warm-up.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> for epoch in range(3):
    >>>     print(scheduler.get_last_lr())
    >>>     optimizer.step()
    >>>     scheduler.step()
    """

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5,
                 last_epoch=-1):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                "to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError(
                "Ending multiplicative factor expected to be between 0 and 1."
            )
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._check_call()
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._values("lr")
        growth = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * growth
        return self._scaled(1.0 + growth / before)

    def _get_closed_form_lr(self):
        growth, n = self.end_factor - self.start_factor, min(self.total_iters, self.last_epoch)
        return [lr * (self.start_factor + growth * n / self.total_iters) for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies the learning rate by gamma every epoch.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._check_call()
        return self._values("lr") if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self):
        return [lr * self.gamma ** self.last_epoch for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Lets the learning rate fall to 0 along a power of the epochs that are left.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=2.0)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._check_call()
        n = self.total_iters
        if self._is_initial or self.last_epoch > n:
            return self._values("lr")
        left, before = 1.0 - self.last_epoch / n, 1.0 - (self.last_epoch - 1) / n
        return self._scaled((left / before) ** self.power)

    def _get_closed_form_lr(self):
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [lr * left ** self.power for lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Lets the learning rate fall to `eta_min` along half a wave of a cosine, `T_max` epochs long.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._check_call()
        epoch, length, least = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return self._values("lr")
        if self._step_count == 1 and epoch > 0:
            wave = 1 + math.cos(epoch * math.pi / length)
            return [least + (lr - least) * wave / 2 for lr in self.base_lrs]
        if (epoch - 1 - length) % (2 * length) == 0:
            rise = 1 - math.cos(math.pi / length)
            groups = self.optimizer.param_groups
            return [
                group["lr"] + (lr - least) * rise / 2 for lr, group in zip(self.base_lrs, groups)
            ]
        wave = 1 + math.cos(math.pi * epoch / length)
        factor = wave / (1 + math.cos(math.pi * (epoch - 1) / length))
        return [
            factor * (group["lr"] - least) + least for group in self.optimizer.param_groups
        ]

    def _get_closed_form_lr(self):
        least, wave = self.eta_min, 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [least + (lr - least) * wave / 2 for lr in self.base_lrs]
