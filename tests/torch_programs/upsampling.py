import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x, digits=3):
    return [round(v, digits) + 0.0 for v in x.flatten().tolist()]


def show(what, make):
    try:
        y = make()
        print(what, list(y.shape), numbers(y))
    except Exception as error:
        print(what, type(error).__name__)


def slopes(what, f, x):
    x = x.clone().requires_grad_()
    y = f(x)
    weights = torch.linspace(-1, 2, y.numel()).reshape(y.shape)
    first, = torch.autograd.grad((y ** 2 * weights).sum(), x, create_graph=True)
    second, = torch.autograd.grad(first.sum(), x)
    print(what, numbers(first, 3), numbers(second, 3))


torch.manual_seed(0)
signal, image, volume = torch.randn(1, 2, 5), torch.randn(1, 1, 4, 5), torch.randn(1, 1, 2, 3, 2)
for x, modes in (
    (signal, ("nearest", "nearest-exact", "area", "linear")),
    (image, ("nearest", "nearest-exact", "area", "bilinear", "bicubic")),
    (volume, ("nearest", "nearest-exact", "area", "trilinear")),
):
    for mode in modes:
        corners = (None, True, False) if mode.endswith(("linear", "cubic")) else (None,)
        for align_corners in corners:
            named = dict(mode=mode, align_corners=align_corners)
            show(mode, lambda: F.interpolate(x, size=7, **named))
            show(mode, lambda: F.interpolate(x, scale_factor=2, **named))
            show(mode, lambda: F.interpolate(x, scale_factor=0.6, **named))
            show(mode, lambda: F.interpolate(x, scale_factor=1.7, recompute_scale_factor=True, **named))
            slopes(mode, lambda v: F.interpolate(v, size=3, **named), x)
show("two sizes", lambda: F.interpolate(image, size=(2, 6), mode="bicubic"))
show("two factors", lambda: F.interpolate(image, scale_factor=(0.5, 1.5), mode="bicubic"))
show("two factors", lambda: F.interpolate(image, scale_factor=[0.5, 1.5], mode="bilinear"))
show("one element", lambda: F.interpolate(torch.ones(1, 1, 1, 1), size=2, mode="bicubic", align_corners=True))
show("double", lambda: F.interpolate(image.double(), size=3, mode="bicubic"))
for mode in ("bilinear", "bicubic", "lanczos"):
    show(mode, lambda: F.interpolate(image, size=(2, 3), mode=mode, antialias=True))
    show(mode, lambda: F.interpolate(image, size=(7, 2), mode=mode, antialias=True))
    show(mode, lambda: F.interpolate(image, scale_factor=0.5, mode=mode, antialias=True))
    slopes(mode, lambda v: F.interpolate(v, size=(2, 3), mode=mode, antialias=True), image)

for layer in (
    nn.Upsample(scale_factor=2), nn.Upsample(7), nn.Upsample((2, 3), mode="bilinear"),
    nn.Upsample(scale_factor=(2, 1.5), mode="bicubic", align_corners=True),
    nn.Upsample(scale_factor=1.5, mode="nearest-exact", recompute_scale_factor=True),
    nn.UpsamplingNearest2d(scale_factor=2), nn.UpsamplingNearest2d(size=(3, 2)),
    nn.UpsamplingBilinear2d(scale_factor=2), nn.UpsamplingBilinear2d((3, 2)),
):
    print(layer, layer.name, layer.size, layer.scale_factor, layer.mode, layer.align_corners)
    show("  image", lambda: layer(image))
show("signal", lambda: nn.Upsample(scale_factor=2, mode="linear")(signal))
show("volume", lambda: nn.Upsample(size=(1, 2, 3), mode="trilinear", align_corners=True)(volume))

pixels = torch.arange(16.0).reshape(1, 4, 2, 2)
for layer in (nn.PixelShuffle(2), nn.PixelUnshuffle(2), nn.ChannelShuffle(2), nn.Flatten(), nn.Flatten(0, 1),
              nn.Flatten(start_dim=2), nn.Unflatten(1, (2, 2)), nn.Unflatten(dim=-1, unflattened_size=[2, 1]),
              nn.Unfold(2), nn.Unfold((1, 2), dilation=1, padding=(0, 1), stride=2)):
    print(layer, list(layer.state_dict()))
    show("  pixels", lambda: layer(pixels))
    slopes("  slopes", layer, pixels)
columns = torch.arange(16.0).reshape(1, 4, 4)
for layer in (nn.Fold((3, 3), 2), nn.Fold(output_size=(4, 4), kernel_size=2, stride=2), nn.Fold(1, 2, padding=1, stride=1)):
    print(layer)
    show("  columns", lambda: layer(columns))
    show("  one", lambda: layer(columns[0]))
show("one image", lambda: nn.Unfold(2)(pixels[0]))
show("not batched", lambda: nn.PixelShuffle(2)(pixels[0]))
show("channels", lambda: F.channel_shuffle(torch.arange(12.0).reshape(2, 6, 1), 3))
show("channels", lambda: F.native_channel_shuffle(torch.arange(12.0).reshape(2, 6, 1), 2))

for what, wrong in (
    ("both", lambda: F.interpolate(image, 3, 2)), ("neither", lambda: F.interpolate(image)),
    ("mode", lambda: F.interpolate(image, 3, mode="cubic")), ("dims", lambda: F.interpolate(image, 3, mode="linear")),
    ("dims", lambda: F.interpolate(signal, 3, mode="bicubic")), ("dims", lambda: F.interpolate(signal[0], 3)),
    ("corners", lambda: F.interpolate(image, 3, align_corners=True)), ("size", lambda: F.interpolate(image, (1, 2, 3))),
    ("factor", lambda: F.interpolate(image, scale_factor=(2,))), ("type", lambda: F.interpolate(image, (1.5, 2))),
    ("recompute", lambda: F.interpolate(image, 3, recompute_scale_factor=True)),
    ("antialias", lambda: F.interpolate(image, 3, antialias=True)),
    ("antialias", lambda: F.interpolate(signal, 3, mode="linear", antialias=True)),
    ("lanczos", lambda: F.interpolate(image, 3, mode="lanczos")), ("zero", lambda: F.interpolate(image, 0)),
    ("zero", lambda: F.interpolate(image, 0, mode="bicubic")),
    ("shuffle", lambda: nn.PixelShuffle(3)(pixels)), ("shuffle", lambda: nn.ChannelShuffle(3)(pixels)),
    ("shuffle", lambda: nn.PixelUnshuffle(3)(pixels)), ("shuffle", lambda: F.channel_shuffle(pixels[0, 0], 2)),
    ("unflatten", lambda: nn.Unflatten(1, 2)), ("unflatten", lambda: nn.Unflatten(1, (2.0, 2))),
    ("unflatten", lambda: nn.Unflatten(1, (3, 2))(pixels)), ("fold", lambda: nn.Fold((3, 3), 2)(columns[:, :, :3])),
    ("fold", lambda: nn.Fold((3, 3), 2)(columns[:, :3])), ("unfold", lambda: nn.Unfold(5)(pixels)),
    ("unknown", lambda: nn.Upsample(scale=2)), ("named", lambda: nn.PixelShuffle(factor=2)),
):
    show(what, wrong)
