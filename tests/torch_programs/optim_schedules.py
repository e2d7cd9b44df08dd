# Thirty steps of every schedule of the learning rate.
import torch
from torch import optim
from torch.optim import lr_scheduler as schedules
from torch.optim.swa_utils import SWALR


def shown(value):
    if isinstance(value, float):
        return round(value, 12)
    if isinstance(value, (list, tuple)):
        return type(value)(shown(each) for each in value)
    if type(value) is dict:
        return {k: shown(v) for k, v in value.items()}
    return value


def made(n=1, kind=optim.SGD, **options):
    groups = [{"params": [torch.ones(2, requires_grad=True)]} for _ in range(n)]
    for group in groups[1:]:
        group["lr"] = 0.05
    return kind(groups, lr=0.1, **options)


def run(name, optimizer, schedule, measure=None):
    seen = [[group["lr"] for group in optimizer.param_groups]]
    for i in range(30):
        optimizer.step()
        if measure is None:
            schedule.step()
        else:
            schedule.step(measure(i))
        seen.append([group["lr"] for group in optimizer.param_groups])
    print(name, type(schedule).__name__)
    for rates in zip(*seen):
        print("  ", shown(rates))
    print("  ", shown(schedule.get_last_lr()), schedule.last_epoch if hasattr(schedule, "last_epoch") else "")
    print("  ", shown({k: v for k, v in schedule.state_dict().items() if k != "_schedulers"}))
    print("  ", shown({k: v for k, v in optimizer.param_groups[0].items() if k != "params"}))


def scheduled(name, make, n=1, kind=optim.SGD, **options):
    optimizer = made(n, kind, **options)
    run(name, optimizer, make(optimizer))


scheduled("lambda", lambda o: schedules.LambdaLR(o, lambda e: 0.95 ** e))
scheduled("lambdas", lambda o: schedules.LambdaLR(o, [lambda e: 0.95 ** e, lambda e: e // 10]), n=2)
scheduled("product", lambda o: schedules.MultiplicativeLR(o, lr_lambda=lambda e: 0.95), n=2)
scheduled("steps", lambda o: schedules.StepLR(o, step_size=7), n=2)
scheduled("small steps", lambda o: schedules.StepLR(o, step_size=1, gamma=0.9))
scheduled("milestones", lambda o: schedules.MultiStepLR(o, [3, 10, 10, 20], gamma=0.3))
scheduled("constant", lambda o: schedules.ConstantLR(o))
scheduled("longer", lambda o: schedules.ConstantLR(o, factor=0.25, total_iters=10))
scheduled("linear", lambda o: schedules.LinearLR(o))
scheduled("down", lambda o: schedules.LinearLR(o, start_factor=1.0, end_factor=0.1, total_iters=12))
scheduled("exponential", lambda o: schedules.ExponentialLR(o, gamma=0.9), n=2)
scheduled("polynomial", lambda o: schedules.PolynomialLR(o))
scheduled("square", lambda o: schedules.PolynomialLR(o, total_iters=20, power=2.0))
scheduled("cosine", lambda o: schedules.CosineAnnealingLR(o, T_max=10))
scheduled("cosine", lambda o: schedules.CosineAnnealingLR(o, T_max=7, eta_min=0.01), n=2)
scheduled("restarts", lambda o: schedules.CosineAnnealingWarmRestarts(o, T_0=5))
scheduled("longer", lambda o: schedules.CosineAnnealingWarmRestarts(o, T_0=4, T_mult=2, eta_min=0.001))
scheduled("cyclic", lambda o: schedules.CyclicLR(o, 0.01, 0.1, step_size_up=4), momentum=0.9)
scheduled(
    "halved", lambda o: schedules.CyclicLR(o, 0.01, 0.1, step_size_up=4, step_size_down=6, mode="triangular2"),
    momentum=0.9,
)
scheduled(
    "fading",
    lambda o: schedules.CyclicLR(
        o, 0.01, 0.1, step_size_up=4, mode="exp_range", gamma=0.99, base_momentum=0.7, max_momentum=0.95
    ),
    kind=optim.Adam,
)
scheduled(
    "own scale",
    lambda o: schedules.CyclicLR(
        o, [0.01, 0.02], [0.1, 0.2], step_size_up=3, scale_fn=lambda x: 0.5 ** x, scale_mode="iterations",
        cycle_momentum=False,
    ),
    n=2, kind=optim.Adagrad,
)
scheduled("one cycle", lambda o: schedules.OneCycleLR(o, max_lr=0.5, total_steps=31), momentum=0.9)
scheduled(
    "one cycle",
    lambda o: schedules.OneCycleLR(
        o, max_lr=[0.5, 1.0], epochs=4, steps_per_epoch=8, anneal_strategy="linear", pct_start=0.25,
        div_factor=10.0, final_div_factor=100.0, base_momentum=0.8, max_momentum=0.9,
    ),
    n=2, momentum=0.9,
)
scheduled(
    "three phases", lambda o: schedules.OneCycleLR(o, max_lr=0.5, total_steps=40, three_phase=True),
    kind=optim.Adam,
)
scheduled(
    "momentum stays",
    lambda o: schedules.OneCycleLR(o, max_lr=0.5, total_steps=40, three_phase=True, cycle_momentum=False),
)
scheduled(
    "in a row",
    lambda o: schedules.SequentialLR(
        o, [schedules.ConstantLR(o, factor=0.1, total_iters=2), schedules.ExponentialLR(o, gamma=0.9)], [3]
    ),
)
scheduled(
    "warm-up, cosine",
    lambda o: schedules.SequentialLR(
        o, [schedules.LinearLR(o, start_factor=0.1, total_iters=5), schedules.CosineAnnealingLR(o, T_max=25)],
        milestones=[5],
    ),
    kind=optim.AdamW,
)
scheduled(
    "three in a row",
    lambda o: schedules.SequentialLR(
        o, [schedules.LinearLR(o, 0.1, total_iters=4), schedules.StepLR(o, 3, 0.5), schedules.PolynomialLR(o, 5)],
        [4, 15],
    ),
)
scheduled(
    "chained",
    lambda o: schedules.ChainedScheduler(
        [schedules.ConstantLR(o, factor=0.1, total_iters=2), schedules.ExponentialLR(o, gamma=0.9)]
    ),
)
scheduled(
    "chained",
    lambda o: schedules.ChainedScheduler(
        [schedules.LinearLR(o, 0.2, total_iters=5), schedules.CosineAnnealingLR(o, 20), schedules.MultiStepLR(o, [10], 0.5)],
        optimizer=o,
    ),
)
scheduled("averaging", lambda o: SWALR(o, swa_lr=0.01), n=2)
scheduled("line", lambda o: SWALR(o, swa_lr=[0.01, 0.2], anneal_epochs=4, anneal_strategy="linear"), n=2)
scheduled("at once", lambda o: SWALR(o, swa_lr=0.01, anneal_epochs=0))

for options in (
    dict(), dict(patience=2), dict(patience=2, factor=0.5, cooldown=3), dict(mode="max", patience=1),
    dict(threshold=0.05, patience=1, threshold_mode="abs"),
    dict(threshold=0.2, patience=1, mode="max", threshold_mode="abs"), dict(patience=0, min_lr=[0.03, 0.01]),
    dict(patience=0, eps=0.01),
):
    optimizer = made(n=2)
    schedule = schedules.ReduceLROnPlateau(optimizer, **options)
    run(options, optimizer, schedule, lambda i: 1.0 / (1 + min(i, 7)) + (0.05 if i % 5 == 0 else 0))
    optimizer = made(n=2)
    schedule = schedules.ReduceLROnPlateau(optimizer, **options)
    run(options, optimizer, schedule, lambda i: torch.tensor(float(i % 4)))
    print(schedule.in_cooldown)

# A learning rate that is a tensor stays that tensor.
lr = torch.tensor(0.1)
optimizer = optim.Adam([torch.ones(1, requires_grad=True)], lr=lr)
schedule = schedules.ExponentialLR(optimizer, gamma=0.5)
for _ in range(3):
    optimizer.step()
    schedule.step()
    print(optimizer.param_groups[0]["lr"] is lr, lr, schedule.get_last_lr(), optimizer.param_groups[0]["initial_lr"])
