import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1, bias=False),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(4, 8, kernel_size=3, stride=1, padding=1),
            nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d(1),
        )
        self.dropout = nn.Dropout(0.25)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.dropout(self.features(x).flatten(1)))


torch.manual_seed(0)
net = Net()
print(net)
print(sum(p.numel() for p in net.parameters()), [tuple(p.shape) for p in net.parameters()])

# Bars that lie against bars that stand.
images, labels = torch.zeros(16, 1, 8, 8), torch.arange(16) % 2
for i, label in enumerate(labels):
    if label:
        images[i, 0, :, i // 2] = 1
    else:
        images[i, 0, i // 2] = 1
images += torch.randn(images.shape) * 0.1

optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
net.eval()
print(f"before {F.cross_entropy(net(images), labels).item():.4f}")
net.train()
for step in range(5):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(images), labels)
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
norm = net.features[1]
print(norm.running_mean, norm.running_var, norm.num_batches_tracked)
net.eval()
with torch.no_grad():
    print(torch.equal(net(images), net(images)), net(images[:2]))
print([name for name, _ in net.named_buffers()], net.features[0].weight.grad.shape)
