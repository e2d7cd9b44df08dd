# 200 steps of a convolutional network that tells bars from crosses and rings: the curve of the loss.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)


def picture(kind):
    image = 0.3 * torch.randn(1, 12, 12)
    row, column = torch.randint(3, 9, (2,)).tolist()
    if kind == 0:
        image[:, row, 1:11] += 1.0
    elif kind == 1:
        image[:, row - 2:row + 3, column] += 1.0
        image[:, row, column - 2:column + 3] += 1.0
    else:
        image[:, row - 2:row + 3, column - 2:column + 3] += 1.0
        image[:, row - 1:row + 2, column - 1:column + 2] -= 1.0
    return image


labels = torch.arange(48) % 3
images = torch.stack([picture(kind) for kind in labels.tolist()])


class Eye(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 6, 3, padding=1)
        self.norm = nn.BatchNorm2d(6)
        self.second = nn.Conv2d(6, 8, 3)
        self.read = nn.Linear(8 * 2 * 2, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
        x = F.max_pool2d(F.relu(self.second(x)), 2)
        return self.read(x.flatten(1))


model = Eye()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
order = torch.randperm(48)
for step in range(200):
    chosen = order[(step * 12) % 48:(step * 12) % 48 + 12]
    loss = F.cross_entropy(model(images[chosen]), labels[chosen])
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if step % 20 == 0 or step == 199:
        print(f"{step:3d}  {loss.item():.4f}")
model.eval()
with torch.no_grad():
    print((model(images).argmax(dim=1) == labels).float().mean())
print(model.norm.num_batches_tracked, model.norm.running_mean)
