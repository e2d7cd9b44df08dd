import copy

import torch
from torch import nn, optim
from torch.optim.swa_utils import (
    SWALR, AveragedModel, get_ema_avg_fn, get_ema_multi_avg_fn, get_swa_avg_fn, get_swa_multi_avg_fn, update_bn,
)


def rounded(tensor):
    return [round(v, 4) for v in tensor.detach().double().flatten().tolist()]


def built():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))


torch.manual_seed(1)
x, y = torch.randn(24, 3), torch.randn(24, 1)
for name, options in {
    "mean": {}, "swa": dict(multi_avg_fn=get_swa_multi_avg_fn()), "ema": dict(multi_avg_fn=get_ema_multi_avg_fn(0.9)),
    "one mean": dict(avg_fn=get_swa_avg_fn()), "one ema": dict(avg_fn=get_ema_avg_fn(0.5)),
    "own": dict(avg_fn=lambda average, current, n: 0.1 * average + 0.9 * current),
    "buffers": dict(avg_fn=get_swa_avg_fn(), use_buffers=True),
    "all buffers": dict(multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True),
    "device": dict(device="cpu"),
}.items():
    model = built()
    averaged = AveragedModel(model, **options)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    print(name, averaged.n_averaged, averaged.n_averaged.dtype, averaged.use_buffers)
    for _ in range(4):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        averaged.update_parameters(model)
    print(averaged.n_averaged, rounded(averaged.module[3].weight), rounded(averaged.module[0].bias))
    print(rounded(averaged.module[1].running_mean), averaged.module[1].num_batches_tracked)
    print(rounded(model[3].weight), rounded(averaged(x)[:3]), sorted(averaged.state_dict())[-3:])
    print(all(p.requires_grad for p in averaged.parameters()), averaged.module[0].weight is model[0].weight)

# A state, loaded.
other = AveragedModel(built())
print(other.load_state_dict(copy.deepcopy(averaged.state_dict())), other.n_averaged)
print(torch.equal(other.module[0].weight, averaged.module[0].weight))

# The statistics of batch normalisation, of all batches.
model = built().eval()
loader = [(x[:10], y[:10]), (x[10:20], y[10:20]), (x[20:], y[20:])]
for batches in (loader, [batch for batch, _ in loader]):
    update_bn(batches, model)
    print(rounded(model[1].running_mean), rounded(model[1].running_var), model[1].num_batches_tracked)
    print(model.training, model[1].momentum)
update_bn(loader, model, device="cpu")
update_bn([1, 2], nn.Linear(1, 1))
model.train()
update_bn(loader, model)
print(model.training, rounded(model[1].running_mean))

# The loop as it is written.
torch.manual_seed(2)
model = built()
swa_model = AveragedModel(model)
optimizer = optim.SGD(model.parameters(), lr=0.1)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
swa_start, swa_scheduler = 5, SWALR(optimizer, swa_lr=0.05, anneal_epochs=3)
for epoch in range(10):
    for batch, target in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(batch), target)
        loss.backward()
        optimizer.step()
    if epoch > swa_start:
        swa_model.update_parameters(model)
        swa_scheduler.step()
    else:
        scheduler.step()
    print(epoch, f"{loss.item():.3f}", f"{optimizer.param_groups[0]['lr']:.5f}")
update_bn(loader, swa_model)
print(swa_model.n_averaged, rounded(swa_model(x[:2])))
print(swa_model)

# The functions by themselves.
a, b = [torch.tensor([1.0, 2.0]), torch.tensor([[4.0]])], [torch.tensor([3.0, 6.0]), torch.tensor([[0.0]])]
get_swa_multi_avg_fn()(a, b, torch.tensor(3))
print(a)
get_swa_multi_avg_fn()(a, b, 1)
print(a)
get_ema_multi_avg_fn(0.75)(a, b, 1)
print(a)
whole = [torch.tensor([1, 2, 3])]
get_ema_multi_avg_fn(0.5)(whole, [torch.tensor([4, 6, 9])], 1)
print(whole, get_ema_avg_fn(0.5)(a[0], b[0], 1), get_swa_avg_fn()(a[0], b[0], torch.tensor(1)))
for wrong in (
    lambda: AveragedModel(model, avg_fn=get_swa_avg_fn(), multi_avg_fn=get_swa_multi_avg_fn()),
    lambda: get_ema_avg_fn(1.5), lambda: get_ema_multi_avg_fn(-0.1), lambda: AveragedModel(model, decay=0.9),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
