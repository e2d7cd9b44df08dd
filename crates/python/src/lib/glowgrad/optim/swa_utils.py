"""`torch.optim.swa_utils`: a model with the averages of the weights of another."""

import math

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad.autograd import no_grad
from glowgrad.nn.module import Module
from glowgrad.optim._scheduler import LRScheduler, _for_groups

__all__ = [
    "AveragedModel", "update_bn", "SWALR", "get_ema_multi_avg_fn", "get_swa_multi_avg_fn",
    "get_ema_avg_fn", "get_swa_avg_fn",
]


def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


def get_ema_multi_avg_fn(decay=0.999):
    """For `AveragedModel`: an average that fades, of which `decay` stays in each update.

    >>> from glowgrad.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
    >>> ema = AveragedModel(nn.Linear(2, 1), multi_avg_fn=get_ema_multi_avg_fn(0.9))
    >>> ema.n_averaged
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list):
            if average.is_floating_point():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """For `AveragedModel`: the mean of all updates so far, which it takes without a function, too.

    >>> from glowgrad.optim.swa_utils import AveragedModel, get_swa_multi_avg_fn
    >>> swa = AveragedModel(nn.Linear(2, 1), multi_avg_fn=get_swa_multi_avg_fn())
    >>> swa.n_averaged
    """

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, current in zip(averaged_param_list, current_param_list):
            part = 1 / (num_averaged + 1)
            average.lerp_(current, part.to(average.dtype) if isinstance(part, Tensor) else part)

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """As `get_ema_multi_avg_fn`, for one parameter at a time.

    >>> from glowgrad.optim.swa_utils import get_ema_avg_fn
    >>> get_ema_avg_fn(0.5)(torch.tensor([0.0]), torch.tensor([1.0]), 1)
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """As `get_swa_multi_avg_fn`, for one parameter at a time.

    >>> from glowgrad.optim.swa_utils import get_swa_avg_fn
    >>> get_swa_avg_fn()(torch.tensor([0.0]), torch.tensor([1.0]), 1)
    """

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages; `update_parameters` takes the next ones in.

    >>> from glowgrad.optim.swa_utils import AveragedModel
    >>> model = nn.Linear(2, 1)
    >>> averaged = AveragedModel(model)
    >>> averaged.update_parameters(model)
    >>> averaged.n_averaged
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        from copy import deepcopy

        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        count = _C.from_data(0, _C.int64, False)
        self.register_buffer("n_averaged", count if device is None else count.to(device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """What the averaged model computes.
        >>> optim.swa_utils.AveragedModel(nn.ReLU())(torch.tensor([-1.0, 1.0]))"""
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Takes the parameters of a model into the averages; the first ones are copied.

        >>> from glowgrad.optim.swa_utils import AveragedModel
        >>> model = nn.Linear(2, 1)
        >>> averaged = AveragedModel(model)
        >>> averaged.update_parameters(model)
        >>> torch.equal(averaged.module.weight, model.weight)
        """
        _C.quietly(self._update, model)

    def _update(self, model):
        pairs = [
            (own.detach(), other.detach().to(own.device))
            for own, other in zip(self._averaged(self.module), self._averaged(model))
        ]
        # In a step that `lab.train` notes, the first update has been, and the count is where the step runs.
        if _C.is_capturing() and pairs and self.n_averaged.device != pairs[0][0].device:
            self.n_averaged = self.n_averaged.to(pairs[0][0].device)
        if not _C.is_capturing() and self.n_averaged.item() == 0:
            for own, other in pairs:
                own.copy_(other)
        elif self.multi_avg_fn is not None:
            groups = {}
            for own, other in pairs:
                owns, others = groups.setdefault((own.device, own.dtype), ([], []))
                owns.append(own)
                others.append(other)
            for (device, _), (owns, others) in groups.items():
                self.multi_avg_fn(owns, others, self.n_averaged.to(device))
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for own, other in pairs:
                own.copy_(average(own, other, self.n_averaged.to(own.device)))
        if not self.use_buffers:
            for own, other in zip(self.module.buffers(), model.buffers()):
                own.detach().copy_(other.detach().to(own.device))
        self.n_averaged.add_(1)

    def _averaged(self, model):
        return [*model.parameters(), *(model.buffers() if self.use_buffers else ())]


@no_grad()
def update_bn(loader, model, device=None):
    """Takes the statistics of batch normalisation anew, from all batches of a loader.

    >>> model = nn.Sequential(nn.BatchNorm1d(2))
    >>> optim.swa_utils.update_bn([torch.ones(4, 2), torch.ones(4, 2) * 3], model)
    >>> model[0].running_mean
    """
    from glowgrad.nn.normalization import _BatchNorm

    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for batch in loader:
        batch = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(batch if device is None else batch.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Moves the learning rate to `swa_lr` within `anneal_epochs` and keeps it there.

    >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = optim.swa_utils.SWALR(optimizer, swa_lr=0.1, anneal_epochs=2)
    >>> for epoch in range(3):
    >>>     optimizer.step()
    >>>     scheduler.step()
    >>>     print(scheduler.get_last_lr())
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for rate, group in zip(_for_groups("swa_lr", optimizer, swa_lr), optimizer.param_groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(
                f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            )
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t):
        """How far the way is gone after a part of the time.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> optim.swa_utils.SWALR(optimizer, swa_lr=0.1).anneal_func(0.5)
        """
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self):
        self._check_call()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        n = max(1, self.anneal_epochs)
        before, now = (self.anneal_func(max(0, min(1, s / n))) for s in (step - 1, step))
        rates = []
        for group in self.optimizer.param_groups:
            lr, end = group["lr"], group["swa_lr"]
            # Where the way began, told from how far it had come.
            start = end if before == 1 else (lr - before * end) / (1 - before)
            rates.append(end * now + start * (1 - now))
        return rates
