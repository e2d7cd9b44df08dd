"""Residual networks (He and others, 2015): each block adds what it found to what it read.

Names and order of the parameters are those of torchvision, so that its weights load here.
"""

import torch.nn.functional as F
from torch import nn


class BasicBlock(nn.Module):
    """Two convolutions of 3 by 3 and a way around them."""

    def __init__(self, n_in, n_out, stride=1, downsample=None):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_out)
        # The way around has to give the shape that the convolutions give.
        self.downsample = downsample

    def forward(self, x):
        around = x if self.downsample is None else self.downsample(x)
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.relu(y + around)


class ResNet(nn.Module):
    """A stem, four stages of blocks, and a linear layer on the mean over the image.

    It reads [N, 3, H, W] and gives [N, classes]. `stem` is "imagenet" for large images (a convolution of 7 by 7 and a
    pool divide the sides by four) or "cifar" for those of 32 by 32.

    >>> torch.models.ResNet(layers=(1, 1, 1, 1), stem="cifar")(torch.zeros(1, 3, 32, 32)).shape
    """

    def __init__(self, layers=(2, 2, 2, 2), classes=1000, stem="imagenet"):
        super().__init__()
        if stem not in ("imagenet", "cifar"):
            raise ValueError(f"stem is 'imagenet' or 'cifar', not {stem!r}")
        if stem == "imagenet":
            self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
            self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        else:
            self.conv1 = nn.Conv2d(3, 64, 3, padding=1, bias=False)
            self.maxpool = nn.Identity()
        self.bn1 = nn.BatchNorm2d(64)
        self.layer1 = self._stage(64, 64, layers[0], 1)
        self.layer2 = self._stage(64, 128, layers[1], 2)
        self.layer3 = self._stage(128, 256, layers[2], 2)
        self.layer4 = self._stage(256, 512, layers[3], 2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(512, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def _stage(self, n_in, n_out, blocks, stride):
        downsample = None
        if stride != 1 or n_in != n_out:
            downsample = nn.Sequential(
                nn.Conv2d(n_in, n_out, 1, stride, bias=False), nn.BatchNorm2d(n_out)
            )
        first = BasicBlock(n_in, n_out, stride, downsample)
        return nn.Sequential(first, *(BasicBlock(n_out, n_out) for _ in range(blocks - 1)))

    def forward(self, x):
        x = self.maxpool(F.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


def resnet18(classes=1000, stem="imagenet"):
    """ResNet-18: two blocks in each of the four stages.

    >>> sum(p.numel() for p in torch.models.resnet18().parameters())
    """
    return ResNet((2, 2, 2, 2), classes, stem)
