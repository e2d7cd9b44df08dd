import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x, digits=3):
    return [round(v, digits) + 0.0 for v in x.flatten().tolist()]


def slopes(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    weights = torch.linspace(-1, 2, y.numel()).reshape(y.shape)
    inputs = [x, *layer.parameters()]
    firsts = torch.autograd.grad((y ** 2 * weights).sum(), inputs, create_graph=True)
    seconds = torch.autograd.grad(firsts[0].sum(), [x, layer.weight])
    print(" ", list(y.shape), numbers(y), *[numbers(g, 2) for g in firsts], *[numbers(g, 2) for g in seconds])


torch.manual_seed(0)
signal, image, volume = torch.randn(2, 2, 5), torch.randn(1, 2, 3, 4), torch.randn(1, 2, 2, 2, 3)
cases = [
    (nn.Conv1d(2, 3, 2), signal), (nn.Conv1d(2, 2, 3, stride=2, padding=1, groups=2, bias=False), signal),
    (nn.Conv1d(2, 1, 3, padding="same", dilation=2), signal), (nn.Conv1d(2, 1, 2, padding="valid"), signal),
    (nn.Conv1d(2, 1, 3, padding=2, padding_mode="circular"), signal), (nn.Conv1d(2, 2, 4, padding="same", padding_mode="reflect"), signal),
    (nn.Conv2d(2, 1, (2, 3), (1, 2), (1, 0)), image), (nn.Conv2d(2, 4, 2, groups=2, padding=1, padding_mode="replicate"), image),
    (nn.Conv2d(2, 1, 3, 1, "same", 1, 1, True, "zeros"), image), (nn.Conv3d(2, 1, 2), volume),
    (nn.Conv3d(2, 2, (1, 2, 2), padding=(0, 1, 0), groups=2, bias=False), volume),
    (nn.ConvTranspose1d(2, 3, 2), signal), (nn.ConvTranspose1d(2, 2, 3, 2, 1, 1, 2, False), signal),
    (nn.ConvTranspose1d(2, 1, 2, dilation=2), signal), (nn.ConvTranspose2d(2, 1, 2, stride=2), image),
    (nn.ConvTranspose2d(2, 4, (3, 2), (2, 1), (1, 0), (1, 0), groups=2), image), (nn.ConvTranspose3d(2, 1, 2), volume),
    (nn.ConvTranspose3d(2, 2, 2, stride=2, padding=1, output_padding=1, groups=2), volume),
    (nn.ConvTranspose3d(2, 1, (1, 2, 2), stride=(1, 2, 1), bias=False, dilation=(1, 1, 2)), volume),
]
for layer, x in cases:
    print(layer, [(name, list(p.shape)) for name, p in layer.state_dict().items()], numbers(layer.weight))
    slopes(layer, x)
    print(" ", list(layer(x[0]).shape), layer.kernel_size, layer.stride, layer.padding, layer.dilation, layer.output_padding, layer.transposed)

back = nn.ConvTranspose2d(2, 1, 3, stride=2, padding=1)
for size in ((5, 7), (6, 8), torch.Size((1, 1, 6, 7))):
    print(list(back(image, output_size=size).shape), numbers(back(image, size))[:3])
print(list(nn.ConvTranspose1d(2, 1, 2, 3)(signal, output_size=[15]).shape), list(nn.ConvTranspose3d(2, 1, 2, 2)(volume, (5, 4, 7)).shape))
x, w, b = torch.randn(1, 2, 2, 2, 2), torch.randn(2, 1, 2, 2, 2), torch.tensor([0.5])
print(numbers(F.conv_transpose3d(x, w, b)), numbers(F.conv_transpose3d(x, w, None, 2, 1, 1)), F.conv_transpose3d(x[0], w).shape)
print(numbers(F.conv_transpose3d(x, w, stride=(1, 2, 2), padding=(0, 1, 1), output_padding=(0, 0, 1), groups=2, dilation=(2, 1, 1)))[:8])
print(numbers(F.conv_tbc(torch.randn(4, 2, 2), torch.randn(3, 2, 3), torch.tensor([0.1, 0.2, 0.3]), pad=1)))

layer = nn.Conv1d(1, 1, 2, dtype=torch.float64, device="cpu")
layer.reset_parameters()
print(layer.weight, layer(torch.ones(1, 1, 3, dtype=torch.float64)).dtype, nn.Conv2d(1, 1, 1, 1, 0, 1, 1, True, "zeros", "cpu", torch.float64).bias.dtype)

# The gradients of convolutions as functions.
for n, x, w in ((1, signal, torch.randn(3, 2, 2)), (2, image, torch.randn(2, 2, 2, 3)), (3, volume, torch.randn(1, 2, 1, 2, 2))):
    y = getattr(F, f"conv{n}d")(x, w, stride=1, padding=1)
    grad = torch.linspace(-1, 1, y.numel()).reshape(y.shape)
    print(numbers(getattr(nn.grad, f"conv{n}d_input")(x.shape, w, grad, 1, 1)))
    print(numbers(getattr(nn.grad, f"conv{n}d_weight")(x, w.shape, grad, stride=1, padding=1, dilation=1, groups=1)))

first, second = torch.randn(4, 2), torch.randn(4, 3)
both = nn.Bilinear(2, 3, 2)
print(both, numbers(both(first, second)), [list(p.shape) for p in both.parameters()])
both(first, second).pow(2).sum().backward()
print(numbers(both.weight.grad), numbers(both.bias.grad), nn.Bilinear(2, 2, 1, False, "cpu", torch.float64))
print(numbers(F.bilinear(first, second, both.weight)), F.bilinear(torch.ones(2, 5, 2), torch.ones(2, 5, 3), both.weight).shape)
line = nn.Linear(3, 2)
print(line, numbers(line.weight), numbers(line.bias), numbers(line(torch.ones(3))), nn.Linear(3, 2, False, "cpu", torch.float64).weight.dtype)
line.reset_parameters()
print(numbers(line.weight), line(torch.ones(2, 2, 3)).shape)
print(nn.Identity(5, unused=True)(first) is first, nn.Identity())

for wrong in (
    lambda: nn.Conv2d(3, 2, 1, groups=2), lambda: nn.Conv2d(2, 3, 1, groups=2), lambda: nn.Conv2d(2, 2, 1, groups=0),
    lambda: nn.Conv1d(1, 1, 2, padding="full"), lambda: nn.Conv1d(1, 1, 2, stride=2, padding="same"),
    lambda: nn.Conv1d(1, 1, 2, padding_mode="mirror"), lambda: nn.ConvTranspose1d(1, 1, 2, padding_mode="reflect"),
    lambda: nn.Conv2d(3, 1, 1)(image), lambda: nn.Conv2d(2, 1, 5)(image), lambda: nn.Conv2d(2, 1, 1)(torch.ones(2)),
    lambda: nn.ConvTranspose3d(1, 1, 2, output_padding=1)(volume[:, :1]), lambda: nn.ConvTranspose3d(3, 1, 2)(volume),
    lambda: back(image, output_size=(9, 9)), lambda: back(image, output_size=(1, 2, 3)), lambda: nn.Conv2d(1, 1),
    lambda: nn.Conv2d(1, 1, 1, strides=1), lambda: nn.Bilinear(0, 1, 1), lambda: nn.Bilinear(2, 3, 1)(second, second),
    lambda: nn.Linear(3, 2)(torch.ones(2, 2)), lambda: nn.Linear(3), lambda: nn.Linear(3, 2, bias_=True),
    lambda: nn.Linear("3", 2), lambda: F.conv_transpose3d(torch.ones(1, 2, 2), w),
    lambda: F.conv_tbc(torch.ones(2, 2), torch.ones(3, 2, 3), b),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
