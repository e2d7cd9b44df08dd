import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x):
    return [round(v, 4) for v in x.flatten().tolist()]


def show(what, make):
    try:
        y = make()
    except Exception as error:
        print(what, type(error).__name__)
        return
    y = y if isinstance(y, tuple) else (y,)
    for each in y:
        print(what, list(each.shape), each.dtype, numbers(each))


def slopes(what, layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    y = y[0] if isinstance(y, tuple) else y
    weights = torch.linspace(-1, 2, y.numel()).reshape(y.shape)
    first, = torch.autograd.grad((y ** 2 * weights).sum(), x, create_graph=True)
    second, = torch.autograd.grad((first * first).sum(), x)
    print(what, numbers(first), numbers(second))


torch.manual_seed(0)
signal, image = torch.randn(2, 2, 7), torch.randn(1, 2, 5, 6)
volume = torch.randn(1, 2, 4, 5, 3)
layers = [
    (nn.MaxPool1d(2), signal), (nn.MaxPool1d(3, 1, padding=1, dilation=2), signal),
    (nn.MaxPool1d(2, ceil_mode=True, return_indices=True), signal),
    (nn.MaxPool2d((2, 3), stride=(2, 1), padding=(0, 1)), image), (nn.MaxPool2d(2, return_indices=True), image),
    (nn.MaxPool3d(2, ceil_mode=True), volume), (nn.MaxPool3d((1, 2, 2), 1, return_indices=True), volume),
    (nn.AvgPool1d(3, 2, 1), signal), (nn.AvgPool1d(2, ceil_mode=True, count_include_pad=False), signal),
    (nn.AvgPool2d(2), image), (nn.AvgPool2d((2, 3), 2, (1, 1), True, False), image),
    (nn.AvgPool2d(2, divisor_override=3), image), (nn.AvgPool3d(2), volume),
    (nn.AvgPool3d((2, 1, 2), 1, padding=(1, 0, 0), count_include_pad=False), volume),
    (nn.LPPool1d(2, 3), signal), (nn.LPPool1d(1.5, 2, stride=1, ceil_mode=True), signal.abs()),
    (nn.LPPool2d(2, 2), image), (nn.LPPool2d(3, (1, 2), stride=(2, 2)), image.abs()), (nn.LPPool3d(2, 2), volume),
    (nn.AdaptiveAvgPool1d(3), signal), (nn.AdaptiveAvgPool2d((3, None)), image), (nn.AdaptiveAvgPool2d(2), image),
    (nn.AdaptiveAvgPool3d(2), volume), (nn.AdaptiveAvgPool3d((None, 1, 2)), volume),
    (nn.AdaptiveMaxPool1d(3), signal), (nn.AdaptiveMaxPool1d(2, return_indices=True), signal),
    (nn.AdaptiveMaxPool2d((None, 4)), image), (nn.AdaptiveMaxPool2d(3, return_indices=True), image),
    (nn.AdaptiveMaxPool3d((2, 3, 1)), volume), (nn.AdaptiveMaxPool3d(2, return_indices=True), volume),
]
for layer, x in layers:
    print(layer, len(layer.state_dict()))
    show("  batch", lambda: layer(x))
    show("  one", lambda: layer(x[0]))
    slopes("  slopes", layer, x)

# Elements that are equal: the first is taken.
flat = torch.ones(1, 1, 4, 4, 4)
show("equal", lambda: F.adaptive_max_pool3d(flat, 2, return_indices=True))
show("equal", lambda: F.max_pool3d(flat, 2, return_indices=True))
show("in halves", lambda: F.adaptive_avg_pool3d(torch.arange(8.0).view(1, 2, 2, 2), (2, 1, 1)))

# Back again.
for n, x, options in (
    (1, signal, ((2,), (3, 2))), (2, image, ((2,), (3, 2), ((1, 2), (2, 2), (0, 1)))), (3, volume, ((2,), (2, 1))),
):
    for each in options:
        pool = getattr(nn, f"MaxPool{n}d")(*each, return_indices=True)
        back = getattr(nn, f"MaxUnpool{n}d")(*each)
        print(back, back.kernel_size, back.stride, back.padding)
        y, places = pool(x)
        if len(each) == 1:
            show("  back", lambda: back(y, places))
            show("  sized", lambda: back(y, places, output_size=x.shape))
            slopes("  slopes", lambda v: back(v, places, output_size=x.shape), y)
        show("  one", lambda: back(y[0], places[0], x.shape[-n:]).sum())
y, places = F.max_pool2d(image, 2, return_indices=True)
show("int32", lambda: F.max_unpool2d(y, places.int(), 2))
show("outside", lambda: F.max_unpool2d(y, places + 100, 2))
show("other shape", lambda: F.max_unpool2d(y, places[:, :1], 2))
show("too large", lambda: F.max_unpool2d(y, places, 2, output_size=(9, 9)))
show("sizes", lambda: F.max_unpool2d(y, places, 2, output_size=(5,)))
show("matrix", lambda: F.max_unpool2d(y[0, 0], places[0, 0], 2))

# Windows that are drawn.
for n, x, options in (
    (2, image, (dict(output_size=3), dict(output_size=(2, 4), return_indices=True), dict(output_ratio=(0.5, 0.7)))),
    (3, volume, (dict(output_size=(2, 3, 1)), dict(output_ratio=0.6, return_indices=True))),
):
    for each in options:
        torch.manual_seed(1)
        layer = getattr(nn, f"FractionalMaxPool{n}d")(2, **each)
        print(layer, layer.kernel_size, layer.output_size, layer.output_ratio, list(layer.state_dict()))
        show("  batch", lambda: layer(x))
        show("  one", lambda: layer(x[0]))
        print("  then", numbers(torch.rand(1)))
samples = torch.tensor([[[0.1, 0.9], [0.5, 0.3]]])
show("given", lambda: F.fractional_max_pool2d(image, 2, (3, 4), _random_samples=samples, return_indices=True))
show("with indices", lambda: F.fractional_max_pool2d_with_indices(image, 2, (3, 4), _random_samples=samples))
slopes("slopes", lambda v: F.fractional_max_pool2d(v, 2, (3, 4), _random_samples=samples), image)
show("double", lambda: F.fractional_max_pool2d(image.double(), 2, 2, _random_samples=samples.double()))

show("with indices", lambda: F.max_pool1d_with_indices(signal, 3))
show("with indices", lambda: F.max_pool2d_with_indices(image, 3, 2))
show("with indices", lambda: F.max_pool3d_with_indices(volume, 2, ceil_mode=True))
show("with indices", lambda: F.adaptive_max_pool1d_with_indices(signal, 2))
show("with indices", lambda: F.adaptive_max_pool2d_with_indices(image, (2, 1)))
show("with indices", lambda: F.adaptive_max_pool3d_with_indices(volume, 1))
show("infinite power", lambda: F.lp_pool2d(image, float("inf"), 2))
show("infinite power", lambda: F.lp_pool1d(signal, -float("inf"), 3))
show("negative elements", lambda: F.lp_pool1d(torch.tensor([[-3.0, 1.0, -1.0, 2.0]]), 3, 2))

for what, wrong in (
    ("power 0", lambda: F.lp_pool2d(image, 0, 2)), ("neither", lambda: nn.FractionalMaxPool2d(2)),
    ("both", lambda: nn.FractionalMaxPool3d(2, output_size=2, output_ratio=0.5)),
    ("ratio", lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5)),
    ("too many", lambda: F.fractional_max_pool2d(image, 2, 6)), ("sizes", lambda: F.adaptive_avg_pool3d(volume, (1, 2))),
    ("negative", lambda: F.adaptive_avg_pool3d(volume, -1)), ("dims", lambda: F.adaptive_avg_pool3d(image[0], 2)),
    ("dims", lambda: F.max_pool2d(image[0, 0], 2)), ("padding", lambda: F.max_pool2d(image, 2, padding=2)),
    ("unknown", lambda: nn.MaxPool2d(2, size=3)), ("missing", lambda: nn.AvgPool2d()),
    ("samples", lambda: F.fractional_max_pool2d(image, 2, 2, _random_samples=samples[0])),
):
    show(what, wrong)
