"""MobileNetV2 (Sandler and others, 2018): wide inside a block, narrow between blocks, one filter a channel.

Names and order of the parameters are those of torchvision, so that its weights load here.
"""

from torch import nn


def _divisible(n, by=8):
    """The nearest multiple of `by`, never more than a tenth below n."""
    near = max(by, int(n + by / 2) // by * by)
    return near + by if near < 0.9 * n else near


class _ConvNormActivation(nn.Sequential):
    def __init__(self, n_in, n_out, size=3, stride=1, groups=1):
        super().__init__(
            nn.Conv2d(n_in, n_out, size, stride, (size - 1) // 2, groups=groups, bias=False),
            nn.BatchNorm2d(n_out),
            nn.ReLU6(inplace=True),
        )


class InvertedResidual(nn.Module):
    """Widens each pixel, filters each channel by itself, and narrows again without a bend."""

    def __init__(self, n_in, n_out, stride, expand):
        super().__init__()
        n_wide = round(n_in * expand)
        layers = [_ConvNormActivation(n_in, n_wide, 1)] if expand != 1 else []
        layers += [
            _ConvNormActivation(n_wide, n_wide, 3, stride, groups=n_wide),
            nn.Conv2d(n_wide, n_out, 1, bias=False),
            nn.BatchNorm2d(n_out),
        ]
        self.conv = nn.Sequential(*layers)
        self.use_res_connect = stride == 1 and n_in == n_out

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Module):
    """Inverted residual blocks between two convolutions, and a linear layer on the mean over the image.

    It reads [N, 3, H, W] and gives [N, classes]. `stem` is "imagenet" for large images, whose sides the network divides
    by 32, or "cifar" for those of 32 by 32, whose sides it divides by 8.

    >>> sum(p.numel() for p in torch.models.mobilenet_v2().parameters())
    """

    def __init__(self, classes=1000, width_mult=1.0, stem="imagenet", dropout=0.2):
        super().__init__()
        if stem not in ("imagenet", "cifar"):
            raise ValueError(f"stem is 'imagenet' or 'cifar', not {stem!r}")
        first = 2 if stem == "imagenet" else 1
        # How wide a block is inside, its channels, how often it stands, the stride of the first.
        settings = [
            (1, 16, 1, 1), (6, 24, 2, first), (6, 32, 3, 2), (6, 64, 4, 2),
            (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
        ]
        n = _divisible(32 * width_mult)
        self.last_channel = _divisible(1280 * max(1.0, width_mult))
        features = [_ConvNormActivation(3, n, stride=first)]
        for expand, channels, repeats, stride in settings:
            n_out = _divisible(channels * width_mult)
            for i in range(repeats):
                features.append(InvertedResidual(n, n_out, stride if i == 0 else 1, expand))
                n = n_out
        features.append(_ConvNormActivation(n, self.last_channel, 1))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(self.last_channel, classes)
        )
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out")
            elif isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, 0, 0.01)
                nn.init.zeros_(module.bias)

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


def mobilenet_v2(classes=1000, stem="imagenet"):
    """MobileNetV2 of the usual width.

    >>> torch.models.mobilenet_v2(classes=10, stem="cifar").eval()(torch.zeros(1, 3, 32, 32)).shape
    """
    return MobileNetV2(classes, stem=stem)
