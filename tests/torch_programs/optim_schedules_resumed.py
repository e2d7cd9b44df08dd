# Schedules that are stopped and go on, that are told the epoch, and of one's own.
import copy

import torch
from torch import nn, optim
from torch.optim import lr_scheduler as schedules
from torch.optim.lr_scheduler import LRScheduler, StepLR


def made(**options):
    return optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, **options)


def go(optimizer, schedule, n):
    rates = []
    for i in range(n):
        optimizer.step()
        if isinstance(schedule, schedules.ReduceLROnPlateau):
            schedule.step(float(i))
        else:
            schedule.step()
        rates.append(round(optimizer.param_groups[0]["lr"], 10))
    return rates


class Decay:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, epoch):
        return self.factor ** epoch


for name, make in {
    "lambda": lambda o: schedules.LambdaLR(o, lambda e: 0.9 ** e),
    "object": lambda o: schedules.LambdaLR(o, Decay(0.9)),
    "product": lambda o: schedules.MultiplicativeLR(o, Decay(0.99)),
    "step": lambda o: StepLR(o, 3),
    "milestones": lambda o: schedules.MultiStepLR(o, [2, 6, 9]),
    "linear": lambda o: schedules.LinearLR(o, total_iters=8),
    "cosine": lambda o: schedules.CosineAnnealingLR(o, 6),
    "restarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 3, 2),
    "cyclic": lambda o: schedules.CyclicLR(o, 0.1, 0.5, 3, cycle_momentum=False),
    "scaled": lambda o: schedules.CyclicLR(o, 0.1, 0.5, 3, scale_fn=Decay(0.5), cycle_momentum=False),
    "one": lambda o: schedules.OneCycleLR(o, 0.5, 20, cycle_momentum=False),
    "plateau": lambda o: schedules.ReduceLROnPlateau(o, patience=1),
    "row": lambda o: schedules.SequentialLR(o, [schedules.ConstantLR(o), schedules.ExponentialLR(o, 0.9)], [4]),
    "chain": lambda o: schedules.ChainedScheduler([schedules.ConstantLR(o), schedules.ExponentialLR(o, 0.9)]),
    "averages": lambda o: optim.swa_utils.SWALR(o, 0.01, 8),
}.items():
    optimizer = made()
    schedule = make(optimizer)
    whole = go(optimizer, schedule, 10)
    first = made()
    schedule = make(first)
    part = go(first, schedule, 5)
    state, weights = copy.deepcopy(schedule.state_dict()), copy.deepcopy(first.state_dict())
    names = sorted(state)
    second = made()
    resumed = make(second)
    resumed.load_state_dict(state)
    second.load_state_dict(weights)
    print(name, whole == part + go(second, resumed, 5), names, whole[-1])

# The epoch from which a schedule goes on.
optimizer = made()
optimizer.param_groups[0]["initial_lr"] = 0.1
for make in (
    lambda o: StepLR(o, 3, last_epoch=4), lambda o: schedules.ExponentialLR(o, 0.9, last_epoch=4),
    lambda o: schedules.CosineAnnealingLR(o, 10, last_epoch=4), lambda o: schedules.LinearLR(o, last_epoch=2),
    lambda o: schedules.LambdaLR(o, lambda e: 1 / (1 + e), last_epoch=4),
    lambda o: schedules.PolynomialLR(o, 10, last_epoch=4),
    lambda o: schedules.MultiplicativeLR(o, lambda e: 0.5, last_epoch=4),
):
    schedule = make(optimizer)
    print(type(schedule).__name__, schedule.last_epoch, [round(v, 8) for v in go(optimizer, schedule, 4)])

# The closed forms, which `step(epoch)` takes with a warning.
for make in (
    lambda o: StepLR(o, 3), lambda o: schedules.MultiStepLR(o, [2, 4, 4]), lambda o: schedules.ConstantLR(o),
    lambda o: schedules.LinearLR(o, end_factor=0.5), lambda o: schedules.ExponentialLR(o, 0.9),
    lambda o: schedules.PolynomialLR(o, 8, 2.0), lambda o: schedules.CosineAnnealingLR(o, 6, 0.01),
    lambda o: schedules.CosineAnnealingWarmRestarts(o, 3, 2), lambda o: schedules.CosineAnnealingWarmRestarts(o, 3),
):
    optimizer = made()
    schedule = make(optimizer)
    rates = []
    for epoch in (1, 2, 4, 5, 9, 3):
        schedule.last_epoch = epoch
        if hasattr(schedule, "_get_closed_form_lr"):
            schedule._update_lr(epoch)
        else:
            schedule.step(epoch)
        rates.append(round(optimizer.param_groups[0]["lr"], 10))
    print(type(schedule).__name__, rates, schedule.last_epoch)
optimizer = made()
schedule = schedules.CosineAnnealingWarmRestarts(optimizer, 2, 2)
for epoch in (0.25, 1.5, 2.5, 3.0, 7.75):
    schedule.step(epoch)
    print(epoch, round(optimizer.param_groups[0]["lr"], 10), schedule.T_cur, schedule.T_i, schedule.last_epoch)


# Schedules of one's own.
class InverseRoot(LRScheduler):
    def __init__(self, optimizer, warm_up, last_epoch=-1):
        self.warm_up = warm_up
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        step = max(1, self.last_epoch)
        return [lr * min(step ** -0.5, step * self.warm_up ** -1.5) for lr in self.base_lrs]


class Halves(StepLR):
    def get_lr(self):
        return [lr / 2 for lr in super().get_lr()]


for kind, options in ((InverseRoot, dict(warm_up=4)), (Halves, dict(step_size=2))):
    optimizer = made()
    schedule = kind(optimizer, **options)
    print(kind.__name__, isinstance(schedule, LRScheduler), [round(v, 8) for v in go(optimizer, schedule, 6)])
    print(list(schedule.state_dict()))

# A loop as it is written.
torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = optim.AdamW(model.parameters(), lr=0.1)
warm = schedules.LinearLR(optimizer, start_factor=0.01, total_iters=3)
decay = schedules.CosineAnnealingLR(optimizer, T_max=7, eta_min=1e-4)
schedule = schedules.SequentialLR(optimizer, [warm, decay], milestones=[3])
x = torch.randn(16, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
for epoch in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    schedule.step()
    print(epoch, f"{loss.item():.4f}", f"{schedule.get_last_lr()[0]:.6f}")
