import torch
from torch import optim
from torch.optim import lr_scheduler as schedules
from torch.optim.swa_utils import SWALR


def made(n=1, **options):
    return optim.SGD([{"params": [torch.ones(1, requires_grad=True)]} for _ in range(n)], lr=0.1, **options)


o, two, other = made(momentum=0.9), made(2), made()
plain = optim.Adagrad([torch.ones(1)])


class Nothing:
    pass


for wrong in (
    lambda: schedules.LRScheduler(3),
    lambda: schedules.LRScheduler(o),
    lambda: schedules.StepLR(torch.ones(1), 3),
    lambda: schedules.StepLR(made(), 3, last_epoch=2),
    lambda: schedules.StepLR(o),
    lambda: schedules.StepLR(o, 3, verbose=True),
    lambda: schedules.LambdaLR(two, [lambda e: e]),
    lambda: schedules.MultiplicativeLR(two, [lambda e: e] * 3),
    lambda: schedules.MultiplicativeLR(o, 0.5),
    lambda: schedules.ConstantLR(o, factor=1.5),
    lambda: schedules.LinearLR(o, start_factor=0),
    lambda: schedules.LinearLR(o, end_factor=-0.1),
    lambda: schedules.CosineAnnealingWarmRestarts(o, 0),
    lambda: schedules.CosineAnnealingWarmRestarts(o, 2.5),
    lambda: schedules.CosineAnnealingWarmRestarts(o, 2, 0),
    lambda: schedules.CosineAnnealingWarmRestarts(o, 2, eta_min="a"),
    lambda: schedules.CosineAnnealingWarmRestarts(o, 2).step(-1),
    lambda: schedules.CyclicLR(3, 0.1, 0.2),
    lambda: schedules.CyclicLR(two, [0.1], 0.2),
    lambda: schedules.CyclicLR(o, 0.1, 0.2, mode="square"),
    lambda: schedules.CyclicLR(plain, 0.1, 0.2),
    lambda: schedules.OneCycleLR(o, 0.1),
    lambda: schedules.OneCycleLR(o, 0.1, 0),
    lambda: schedules.OneCycleLR(o, 0.1, 2.5),
    lambda: schedules.OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=3),
    lambda: schedules.OneCycleLR(o, 0.1, epochs=3, steps_per_epoch=-1),
    lambda: schedules.OneCycleLR(o, 0.1, 10, pct_start=2.0),
    lambda: schedules.OneCycleLR(o, 0.1, 10, pct_start=1),
    lambda: schedules.OneCycleLR(o, 0.1, 10, anneal_strategy="sine"),
    lambda: schedules.OneCycleLR(two, [0.1, 0.2, 0.3], 10),
    lambda: schedules.OneCycleLR(plain, 0.1, 10),
    lambda: [(o.step(), s.step()) for s in [schedules.OneCycleLR(o, 0.1, 2)] * 4],
    lambda: schedules.ReduceLROnPlateau(o, factor=1.0),
    lambda: schedules.ReduceLROnPlateau(3),
    lambda: schedules.ReduceLROnPlateau(o, mode="least"),
    lambda: schedules.ReduceLROnPlateau(o, threshold_mode="both"),
    lambda: schedules.ReduceLROnPlateau(two, min_lr=[0.1]),
    lambda: schedules.ReduceLROnPlateau(o).step(),
    lambda: schedules.SequentialLR(o, [], []),
    lambda: schedules.SequentialLR(o, [Nothing()], []),
    lambda: schedules.SequentialLR(o, [schedules.ReduceLROnPlateau(o)], []),
    lambda: schedules.SequentialLR(o, [schedules.ConstantLR(o), schedules.ConstantLR(o)], [1, 2]),
    lambda: schedules.ChainedScheduler([]),
    lambda: schedules.ChainedScheduler([schedules.ConstantLR(o), Nothing()]),
    lambda: schedules.ChainedScheduler([schedules.ConstantLR(o), schedules.ReduceLROnPlateau(o)]),
    lambda: SWALR(two, [0.1]),
    lambda: SWALR(o, 0.1, anneal_strategy="sine"),
    lambda: SWALR(o, 0.1, anneal_epochs=-1),
    lambda: SWALR(o, 0.1, anneal_epochs=1.5),
):
    try:
        wrong()
        print("no error")
    except Exception as error:
        print(type(error).__name__, error)
for make in (
    lambda: schedules.SequentialLR(other, [schedules.ConstantLR(o)], []),
    lambda: schedules.ChainedScheduler([schedules.ConstantLR(o), schedules.ConstantLR(other)]),
):
    try:
        make()
    except Exception as error:
        print(type(error).__name__, str(error).split(" has SGD")[0])
late = schedules.ReduceLROnPlateau(two, patience=0, min_lr=[0.01, 0.02])
two.add_param_group({"params": [torch.ones(1)]})
late.step(1.0)
try:
    late.step(2.0)
except Exception as error:
    print(type(error).__name__, error)
late = schedules.ReduceLROnPlateau(other, patience=0)
other.add_param_group({"params": [torch.ones(1)], "lr": 1.0})
late.step(1.0)
late.step(2.0)
print([group["lr"] for group in other.param_groups], late.min_lrs)
