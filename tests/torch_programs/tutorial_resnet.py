# Shortcuts past layers: blocks, a network of them, its initial numbers, and a few steps with a schedule.
from functools import partial
from typing import Callable, List, Optional, Type

import torch
from torch import Tensor, nn


def conv(planes_in: int, planes: int, size: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(planes_in, planes, size, stride=stride, padding=size // 2, bias=False)


class Plain(nn.Module):
    expansion = 1

    def __init__(self, planes_in: int, planes: int, stride: int, norm: Callable[..., nn.Module]):
        super().__init__()
        self.body = nn.Sequential(
            conv(planes_in, planes, 3, stride), norm(planes), nn.ReLU(inplace=True),
            conv(planes, planes, 3), norm(planes),
        )
        self.shortcut: Optional[nn.Module] = None
        if stride != 1 or planes_in != planes:
            self.shortcut = nn.Sequential(conv(planes_in, planes, 1, stride), norm(planes))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        identity = x if self.shortcut is None else self.shortcut(x)
        out = self.body(x)
        out += identity
        return self.relu(out)


class Narrow(nn.Module):
    expansion = 2

    def __init__(self, planes_in, planes, stride, norm):
        super().__init__()
        wide = planes * self.expansion
        self.conv1, self.bn1 = conv(planes_in, planes, 1), norm(planes)
        self.conv2, self.bn2 = conv(planes, planes, 3, stride), norm(planes)
        self.conv3, self.bn3 = conv(planes, wide, 1), norm(wide)
        self.relu = nn.ReLU()
        self.shortcut = (
            nn.Sequential(conv(planes_in, wide, 1, stride), norm(wide))
            if stride != 1 or planes_in != wide else nn.Identity()
        )

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        return self.relu(self.bn3(self.conv3(out)) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, block: Type[nn.Module], layers: List[int], norm=nn.BatchNorm2d, classes=4):
        super().__init__()
        self.planes, self._norm = 6, norm
        self.stem = nn.Sequential(conv(3, 6, 3), norm(6), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layer1 = self._layer(block, 6, layers[0])
        self.layer2 = self._layer(block, 8, layers[1], stride=2)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8 * block.expansion, classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def _layer(self, block, planes, count, stride=1):
        blocks = []
        for i in range(count):
            blocks.append(block(self.planes, planes, stride if i == 0 else 1, self._norm))
            self.planes = planes * block.expansion
        return nn.Sequential(*blocks)

    def forward(self, x):
        x = self.layer2(self.layer1(self.stem(x)))
        return self.fc(torch.flatten(self.pool(x), 1))


torch.manual_seed(6)
images, labels = torch.randn(12, 3, 16, 16), torch.arange(12) % 4
images += labels.view(-1, 1, 1, 1) * 0.2
print(ResNet(Plain, [1, 1]))
for name, model in {
    "plain": ResNet(Plain, [1, 2]),
    "narrow": ResNet(Narrow, [1, 1]),
    "groups": ResNet(Plain, [1, 1], norm=partial(nn.GroupNorm, 2)),
}.items():
    decay = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.SGD(
        [{"params": decay, "weight_decay": 5e-4}, {"params": others, "lr": 0.02}],
        lr=0.05, momentum=0.9, nesterov=True,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[0.05, 0.02], total_steps=6)
    found = []
    for _ in range(6):
        loss = nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        found.append(f"{loss.item():.3f}")
    print(name, sum(p.numel() for p in model.parameters() if p.requires_grad), *found)
    hooked = {}
    handle = model.layer2.register_forward_hook(lambda m, i, o: hooked.update(shape=tuple(o.shape)))
    model.eval()
    with torch.no_grad():
        print(hooked, model(images).shape, hooked)
    handle.remove()
