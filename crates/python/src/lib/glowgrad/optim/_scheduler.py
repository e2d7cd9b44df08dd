"""The base of the schedules of the learning rate."""

from glowgrad._step_program import again
from glowgrad._tensor import Tensor
from glowgrad.optim.optimizer import Optimizer, _warn

_EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, "
    "you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  "
    "Failure to do this will result in PyTorch skipping the first value of the learning rate "
    "schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
    "initialization. Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. "
    "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
_Function = type(lambda: None)


class LRScheduler:
    """Changes the learning rates of an optimizer, once for each call of `step`.

    >>> class Halving(optim.lr_scheduler.LRScheduler):
    >>>     def get_lr(self):
    >>>         return [lr * 0.5 ** self.last_epoch for lr in self.base_lrs]
    >>>
    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = Halving(optimizer)
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        if "step" in cls.__dict__:
            cls.step = again(cls.step)

    def __init__(self, optimizer, last_epoch=-1):
        _needs_optimizer(optimizer)
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{index}] when resuming "
                    "scheduler with last_epoch >= 0.\nThis typically happens when:\n1. You're "
                    "trying to resume training from a checkpoint but haven't properly loaded the "
                    "optimizer state\n2. You're using last_epoch >= 0 for a fresh training run "
                    "(not recommended)"
                )
        self.base_lrs = self._values("initial_lr")
        self.last_epoch = last_epoch
        # Which of the two steps comes first is told of steps from here on.
        if not optimizer.__dict__.get("_is_scheduled"):
            optimizer._is_scheduled, optimizer._opt_called = True, False
        self._initial_step()

    def _initial_step(self):
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """Where the schedule is, as a dict.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> optim.lr_scheduler.StepLR(optimizer, step_size=30).state_dict()["last_epoch"]
        """
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        """Goes on where another schedule was when `state_dict` was taken of it.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=30)
        >>> scheduler.load_state_dict({"last_epoch": 7})
        >>> scheduler.last_epoch
        """
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """The learning rates that the schedule has set last, one for each group of parameters.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> optim.lr_scheduler.StepLR(optimizer, step_size=30).get_last_lr()
        """
        return self._last_lr

    def get_lr(self):
        """The next learning rates, from the last ones and `last_epoch`; a subclass defines it.

        >>> class Constant(optim.lr_scheduler.LRScheduler):
        >>>     def get_lr(self):
        >>>         return self.base_lrs
        >>>
        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> Constant(optimizer).get_last_lr()
        """
        raise NotImplementedError

    def step(self, epoch=None):
        """Sets the next learning rates; call it after the optimizer's steps of an epoch.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> optimizer.param_groups[0]["lr"]
        """
        if self._step_count == 1:
            if not getattr(self.optimizer.step, "hooked", False):
                _warn(_OVERRIDDEN)
            elif not self.optimizer._opt_called:
                _warn(_ORDER)
        self._step_count += 1
        if epoch is not None:
            _warn(_EPOCH)
        self._update_lr(epoch)

    step = again(step)

    def _update_lr(self, epoch=None):
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            is_closed = epoch is not None and hasattr(self, "_get_closed_form_lr")
            rates = self._get_closed_form_lr() if is_closed else self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        self._set(rates)

    def _set(self, rates):
        for group, rate in _pairs(self.optimizer.param_groups, rates):
            _put(group, "lr", rate)
        self._last_lr = self._values("lr")

    def _values(self, name):
        return [_copied(group[name]) for group in self.optimizer.param_groups]

    def _scaled(self, factor):
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _check_call(self):
        if not self._get_lr_called_within_step:
            _warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`."
            )


def _needs_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _copied(value):
    return value.clone() if isinstance(value, Tensor) else value


def _put(group, name, value):
    """Sets an option; a tensor stays the one it is."""
    if isinstance(group[name], Tensor):
        if isinstance(value, Tensor) and value.ndim:
            value = value.squeeze()
        group[name].fill_(value)
    else:
        group[name] = value


def _pairs(groups, values):
    """Each group with its value; as many as there are groups."""
    values = list(values)
    if len(groups) != len(values):
        which = "shorter" if len(values) < len(groups) else "longer"
        raise ValueError(f"zip() argument 2 is {which} than argument 1")
    return zip(groups, values)


def _for_groups(name, optimizer, value):
    """One value for each group: as many as are given, or the same for all."""
    n = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)):
        if len(value) != n:
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. {name} has "
                f"{len(value)} values, param_groups has {n}."
            )
    else:
        value = [value] * n
    return [_copied(each) for each in value]


def _functions(optimizer, given):
    """One function for each group."""
    n = len(optimizer.param_groups)
    if not isinstance(given, (list, tuple)):
        return [given] * n
    if len(given) != n:
        raise ValueError(f"Expected {n} lr_lambdas, but got {len(given)}")
    return list(given)


def _packed(function):
    """What a state has of a function: nothing of a plain one, the attributes of an object."""
    return None if isinstance(function, _Function) else function.__dict__.copy()


def _n_up_to(sorted_numbers, number):
    """How many are at most so large."""
    return sum(each <= number for each in sorted_numbers)


def _cycle_momentum(scheduler, base_momentum, max_momentum, is_first):
    """Gives the groups the ends between which a cycle moves the momentum."""
    optimizer = scheduler.optimizer
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
        )
    scheduler.use_beta1 = "betas" in optimizer.defaults
    base = _for_groups("base_momentum", optimizer, base_momentum)
    most = _for_groups("max_momentum", optimizer, max_momentum)
    if is_first:
        for group, low, high in zip(optimizer.param_groups, base, most):
            _put_momentum(scheduler, group, high)
            group["max_momentum"], group["base_momentum"] = high, low
    return base, most


def _put_momentum(scheduler, group, momentum):
    if scheduler.use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum
