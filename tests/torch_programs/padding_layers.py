import torch
import torch.nn as nn
import torch.nn.functional as F


def show(what, make):
    try:
        print(what, make())
    except Exception as error:
        print(what, type(error).__name__, error)


def slopes(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    weights = torch.arange(y.numel(), dtype=y.dtype).reshape(y.shape)
    first, = torch.autograd.grad((y ** 2 * weights).sum(), x, create_graph=True)
    second, = torch.autograd.grad(first.sum(), x)
    return y.detach().flatten().tolist(), first.detach().flatten().tolist(), second.flatten().tolist()


signal = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])
image = torch.arange(1.0, 7.0).reshape(1, 1, 2, 3)
volume = torch.arange(1.0, 13.0).reshape(1, 1, 2, 2, 3)
for kind, more in (("Zero", ()), ("Constant", (2.5,)), ("Reflection", ()), ("Replication", ()), ("Circular", ())):
    for n, x in ((1, signal), (2, image), (3, volume)):
        layer = getattr(nn, f"{kind}Pad{n}d")(1, *more)
        print(layer, layer.padding, layer.training, list(layer.state_dict()))
        print(layer(x).shape, layer(x[0]).shape, *slopes(layer, x))

print(nn.ZeroPad1d((2, 0))(signal), nn.ZeroPad2d((1, 0, 0, 2)), nn.ZeroPad2d((1, 0, 0, 2))(image))
print(nn.ConstantPad1d((0, 1), 9), nn.ConstantPad1d((0, 1), value=9)(signal), nn.ConstantPad2d(padding=1, value=-1.0))
print(nn.ConstantPad3d((1, 0, 0, 0, 0, 1), 7.0)(volume).shape, nn.ZeroPad2d(-1)(torch.ones(1, 1, 4, 4)))
print(nn.ReflectionPad2d((1, 1, 0, 1))(image), nn.ReplicationPad3d((1, 1, 0, 0, 0, 2))(volume).sum())
print(nn.CircularPad2d((0, 1, 1, 0))(image), nn.CircularPad1d([1, 2])(signal), nn.ZeroPad1d([1, 1]))
print(isinstance(nn.ZeroPad2d(1), nn.ConstantPad2d), nn.ZeroPad2d(1).value, nn.ConstantPad1d(1, 2).value)
print(F.pad(signal, (1, 1), "reflect"), F.pad(signal, (1, 1), mode="circular"), F.pad(signal, (1, 1), value=5.0))
print(F.pad(torch.tensor([1, 2]), (1, 2), value=7), F.pad(torch.tensor([True]), (1, 1)))

show("four", lambda: nn.CircularPad1d(1)(torch.ones(1, 1, 2, 3)))
show("two", lambda: nn.CircularPad2d(1)(torch.ones(2, 3)))
show("three", lambda: nn.CircularPad3d(1)(torch.ones(2, 3, 4)))
for wrong in (
    lambda: nn.ReflectionPad1d(4)(signal), lambda: nn.ConstantPad1d(1), lambda: nn.ReflectionPad2d(1)(torch.ones(3)),
    lambda: nn.ZeroPad1d(), lambda: nn.ZeroPad1d(1, 2),
    lambda: F.pad(signal, (1,)), lambda: F.pad(signal, (1, 1), "mirror"),
    lambda: nn.ZeroPad2d(1, device="cpu"),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
