"""The network that read cheques (LeCun and others, 1998), with ReLU and max pooling."""

import torch.nn.functional as F
from torch import nn


class LeNet(nn.Module):
    """Two convolutions and three linear layers for images of 28 by 28.

    It reads [N, channels, 28, 28] and gives [N, classes].

    >>> torch.models.LeNet()(torch.zeros(2, 1, 28, 28)).shape
    """

    def __init__(self, channels=1, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.flatten(1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)
