import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.flatten().tolist()]


def slopes(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    weights = torch.linspace(-1, 2, y.numel()).reshape(y.shape)
    inputs = [x, *layer.parameters()]
    firsts = torch.autograd.grad((y * weights).sum(), inputs, create_graph=True)
    second, = torch.autograd.grad((firsts[0] ** 2).sum() + x.sum() * 0, x)
    print(" ", list(y.shape), numbers(y), *[numbers(g, 3) for g in firsts], numbers(second, 2))


def kept(layer):
    print("  kept", [(name, numbers(b.float())) for name, b in layer.named_buffers()])


torch.manual_seed(0)
flat, signal, image, volume = torch.randn(4, 2), torch.randn(2, 2, 3), torch.randn(2, 2, 2, 2), torch.randn(2, 2, 1, 2, 2)
cases = [
    (nn.BatchNorm1d(2), flat), (nn.BatchNorm1d(2, eps=1e-3, momentum=0.3), signal), (nn.BatchNorm2d(2), image),
    (nn.BatchNorm3d(2), volume), (nn.BatchNorm2d(2, affine=False), image), (nn.BatchNorm2d(2, track_running_stats=False), image),
    (nn.BatchNorm1d(2, momentum=None), flat), (nn.BatchNorm1d(2, bias=False), flat), (nn.SyncBatchNorm(2), flat),
    (nn.SyncBatchNorm(2, momentum=None), volume), (nn.InstanceNorm1d(2), signal), (nn.InstanceNorm2d(2, affine=True), image),
    (nn.InstanceNorm3d(2, affine=True, track_running_stats=True), volume), (nn.InstanceNorm2d(2, track_running_stats=True), image),
    (nn.InstanceNorm2d(2, affine=True, bias=False), image), (nn.LayerNorm(2), image), (nn.LayerNorm((2, 2), eps=1e-2), image),
    (nn.LayerNorm([2], elementwise_affine=False), flat), (nn.LayerNorm(3, bias=False), signal), (nn.GroupNorm(1, 2), image),
    (nn.GroupNorm(2, 2, affine=False), signal), (nn.GroupNorm(2, 4, eps=1e-3), torch.randn(2, 4, 3)),
    (nn.GroupNorm(2, 4, bias=False), torch.randn(1, 4, 2)), (nn.RMSNorm(3), signal), (nn.RMSNorm((2, 2), eps=1e-2), image),
    (nn.RMSNorm(2, elementwise_affine=False), flat), (nn.LocalResponseNorm(2), image),
    (nn.LocalResponseNorm(3, alpha=0.1, beta=0.5, k=2.0), torch.randn(1, 5, 2)), (nn.LocalResponseNorm(2, 0.5, 1.0, 0.1), volume),
    (nn.LocalResponseNorm(4, 0.5), torch.randn(1, 5, 1, 2)),
]
for layer, x in cases:
    print(layer, list(layer.state_dict()))
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(torch.linspace(0, 0.5, parameter.numel()).reshape(parameter.shape))
    slopes(layer, x)
    layer(x * 2 + 1)
    kept(layer)
    layer.eval()
    slopes(layer, x)
    kept(layer)
layer = nn.BatchNorm1d(2)
layer(flat)
layer.reset_running_stats()
kept(layer)
layer.weight.data.fill_(3)
layer.reset_parameters()
print(layer.weight, layer.bias, layer.num_batches_tracked, layer.num_batches_tracked.dtype)
print(nn.InstanceNorm1d(2)(signal[0]).shape, nn.InstanceNorm2d(2)(image[0]).shape, nn.InstanceNorm3d(2)(volume[0]).shape)
print(nn.LayerNorm(2, device="cpu", dtype=torch.float64).weight.dtype, nn.BatchNorm1d(2, dtype=torch.float64).running_mean.dtype)
print(nn.GroupNorm(1, 2, 1e-5, True, "cpu", torch.float64).bias.dtype, nn.RMSNorm(2, None, True, "cpu", torch.float64).weight.dtype)

# As Lua Torch computed it.
channels = torch.arange(1.0, 7.0).reshape(1, 6, 1, 1)
for layer in (nn.CrossMapLRN2d(3), nn.CrossMapLRN2d(2, 0.5, 0.5, 2), nn.CrossMapLRN2d(5, alpha=0.1), nn.CrossMapLRN2d(1, 0.5)):
    print(layer, numbers(layer(channels)))

net = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.Sequential(nn.BatchNorm2d(2, affine=False, momentum=0.2)))
net(torch.randn(2, 1, 2, 2))
synced = nn.SyncBatchNorm.convert_sync_batchnorm(net)
print(synced, list(synced.state_dict()), synced is net, synced[1].weight is net[1].weight, synced[2][0].momentum)
print(numbers(synced(torch.ones(1, 1, 2, 2))), numbers(synced[1].running_mean))

# The functions.
mean, var, weight, bias = torch.tensor([0.1, -0.2]), torch.tensor([1.0, 2.0]), torch.tensor([2.0, 0.5]), torch.tensor([0.3, 0.4])
print(numbers(F.batch_norm(flat, mean, var)), numbers(F.batch_norm(flat, mean, var, weight, bias, eps=0.1)))
print(numbers(F.batch_norm(flat, None, None, training=True)), numbers(F.batch_norm(flat, mean, var, bias=bias)))
print(numbers(F.batch_norm(flat, mean, var, weight, bias, True, 0.5)), numbers(mean), numbers(var))
print(numbers(F.instance_norm(signal)), numbers(F.instance_norm(signal, mean, var, weight, bias, False)))
print(numbers(F.instance_norm(signal, mean, var, momentum=0.5)), numbers(mean), numbers(var))
print(numbers(F.group_norm(image, 2)), numbers(F.group_norm(image, 1, weight, bias, 0.1)))
print(numbers(F.layer_norm(flat, (2,))), numbers(F.layer_norm(flat, [2], weight, bias, 0.1)), numbers(F.layer_norm(flat, (2,), bias=bias)))
print(numbers(F.rms_norm(flat, (2,))), numbers(F.rms_norm(flat, [2], weight, 0.1)), numbers(F.local_response_norm(image, 2, 0.1, 0.5, 2.0)))
print(numbers(F.normalize(flat)), numbers(F.normalize(flat, p=1.0, dim=0)), numbers(F.normalize(torch.zeros(2), dim=0)))
out = torch.empty(4, 2)
print(F.normalize(flat, out=out) is out, numbers(out))

for wrong in (
    lambda: nn.BatchNorm1d(2)(image), lambda: nn.BatchNorm2d(2)(flat), lambda: nn.BatchNorm3d(2)(image),
    lambda: nn.BatchNorm1d(3)(flat), lambda: nn.BatchNorm1d(2)(flat[:1]), lambda: nn.InstanceNorm1d(2)(image),
    lambda: nn.InstanceNorm2d(3, affine=True)(image), lambda: nn.InstanceNorm1d(2)(signal[:, :, :1]),
    lambda: nn.GroupNorm(2, 3), lambda: nn.GroupNorm(2, 4)(image), lambda: nn.LayerNorm(3)(flat), lambda: nn.RMSNorm(3)(flat),
    lambda: F.batch_norm(flat, None, None), lambda: F.batch_norm(flat, mean, var, training=True, eps=0.0),
    lambda: F.batch_norm(flat, mean, var, eps=-1.0), lambda: F.batch_norm(flat, torch.zeros(3), var),
    lambda: F.group_norm(torch.ones(2), 1), lambda: F.group_norm(torch.ones(1, 2), 2), lambda: F.local_response_norm(flat, 2),
    lambda: nn.CrossMapLRN2d(2)(flat), lambda: nn.SyncBatchNorm(2)(torch.ones(2)), lambda: F.instance_norm(signal, use_input_stats=False),
    lambda: nn.BatchNorm1d(2, True, momentum=0.1, momentun=1), lambda: nn.LayerNorm(2, 1e-5, True, True, "cpu", torch.float32, 1),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
