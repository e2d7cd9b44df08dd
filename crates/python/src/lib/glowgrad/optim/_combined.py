"""Schedules made of schedules, and the one that listens to the loss."""

import math

from glowgrad.optim._scheduler import (
    _EPOCH, LRScheduler, _copied, _n_up_to, _needs_optimizer, _put,
)
from glowgrad.optim.optimizer import _warn


class ReduceLROnPlateau(LRScheduler):
    """Lowers the learning rate when a number, such as the loss, has not improved for a while.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (1.0, 0.9, 0.9, 0.9):
    >>>     optimizer.step()
    >>>     scheduler.step(loss)
    >>>     print(scheduler.get_last_lr())
    """

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4,
                 threshold_mode="rel", cooldown=0, min_lr=0, eps=1e-8):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        _needs_optimizer(optimizer)
        self.optimizer = optimizer
        n = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != n:
                raise ValueError(f"expected {n} min_lrs, got {len(min_lr)}")
            self.default_min_lr, self.min_lrs = None, list(min_lr)
        else:
            self.default_min_lr, self.min_lrs = min_lr, [min_lr] * n
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = self._values("lr")
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self._reset()

    def _reset(self):
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics, epoch=None):
        """Looks at the number of this epoch, and lowers the learning rate where it is time.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        >>> scheduler.step(torch.tensor(0.5))
        >>> scheduler.best
        """
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            _warn(_EPOCH)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._values("lr")

    def _reduce_lr(self, epoch):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due "
                    "to a new param group being added to the optimizer. Please modify the "
                    "`min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                _put(group, "lr", new)

    @property
    def in_cooldown(self):
        """Whether epochs are not counted since the rate was lowered a moment ago."""
        return self.cooldown_counter > 0

    def _is_better(self, a, best):
        is_relative = self.threshold_mode == "rel"
        if self.mode == "min":
            bar = best * (1.0 - self.threshold) if is_relative else best - self.threshold
            return a < bar
        return a > (best * (self.threshold + 1.0) if is_relative else best + self.threshold)

    def load_state_dict(self, state_dict):
        self.__dict__.update(state_dict)
        self.mode_worse = math.inf if self.mode == "min" else -math.inf


class _Several(LRScheduler):
    def _check(self, schedulers, optimizer, words):
        own = type(self).__name__
        if len(schedulers) < 1:
            raise ValueError(f"{own} expects at least one scheduler{words}, but got no scheduler.")
        optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        for index, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(
                    f"{own} at index {index} should have `optimizer` as its attribute."
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{own} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{index} in the given schedulers sequence."
                )
            if optimizer is not scheduler.optimizer:
                raise ValueError(
                    f"{own} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(scheduler).__name__} at index {index} has "
                    f"{scheduler.optimizer}, which is different from {type(optimizer).__name__}."
                )
        return optimizer

    def state_dict(self):
        state = super().state_dict()
        state.pop("_schedulers")
        return {**state, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict):
        self.__dict__.update(
            {name: value for name, value in state_dict.items() if name != "_schedulers"}
        )
        for own, loaded in zip(self._schedulers, state_dict["_schedulers"]):
            own.load_state_dict(loaded)


class SequentialLR(_Several):
    """One schedule after another: the next begins at each milestone, such as a warm-up's end.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    >>> warm_up = optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> cosine = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
    >>> scheduler = optim.lr_scheduler.SequentialLR(optimizer, [warm_up, cosine], milestones=[2])
    >>> for epoch in range(4):
    >>>     print(scheduler.get_last_lr())
    >>>     optimizer.step()
    >>>     scheduler.step()
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        self._check(schedulers, optimizer, "")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                "the number of milestone points, but got number of schedulers "
                f"{len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each took its first step when it was made; only the first one's is to count.
        for group in optimizer.param_groups:
            _put(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[_n_up_to(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched=None):
        """Takes back the first step of all schedules inside.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> inside = optim.lr_scheduler.ConstantLR(optimizer)
        >>> scheduler = optim.lr_scheduler.SequentialLR(optimizer, [inside], milestones=[])
        >>> scheduler.recursive_undo()
        >>> inside.last_epoch
        """
        sched = self if sched is None else sched
        if hasattr(sched, "_schedulers"):
            for each in sched._schedulers:
                self.recursive_undo(each)
        elif hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self):
        self.last_epoch += 1
        index = _n_up_to(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Several):
    """Several schedules at once: each changes what those before it have set.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> first = optim.lr_scheduler.ConstantLR(optimizer, factor=0.1, total_iters=2)
    >>> second = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    >>> scheduler = optim.lr_scheduler.ChainedScheduler([first, second])
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    """

    def __init__(self, schedulers, optimizer=None):
        optimizer = self._check(schedulers, optimizer, " to be chained")
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = self._of_last()

    def _of_last(self):
        groups = self._schedulers[-1].optimizer.param_groups
        return [_copied(group["lr"]) for group in groups]

    def step(self):
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._of_last()
