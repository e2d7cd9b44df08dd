# A classifier of small pictures from start to end: data, loader, network, training, a table of mistakes.
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset, random_split

torch.manual_seed(21)
CLASSES = ("slash", "backslash", "box")


class Signs(Dataset):
    def __init__(self, count, transform=None):
        self.transform = transform
        self.targets = torch.randint(0, 3, (count,))
        self.data = torch.zeros(count, 1, 8, 8)
        for image, kind in zip(self.data, self.targets):
            if kind == 0:
                image[0] += torch.eye(8).flip(1)
            elif kind == 1:
                image[0] += torch.eye(8)
            else:
                image[0, 2:6, 2:6] += 1
        self.data += 0.4 * torch.randn_like(self.data)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        image = self.data[index]
        return (self.transform(image) if self.transform else image), int(self.targets[index])


def shifted(image):
    down, right = torch.randint(-1, 2, (2,)).tolist()
    return torch.roll(image, (down, right), dims=(1, 2))


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, 1)
        self.conv2 = nn.Conv2d(6, 12, 3, 1)
        self.dropout1, self.dropout2 = nn.Dropout(0.1), nn.Dropout(0.2)
        self.fc1, self.fc2 = nn.Linear(48, 24), nn.Linear(24, 3)

    def forward(self, x):
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        x = torch.flatten(self.dropout1(F.max_pool2d(x, 2)), 1)
        x = self.dropout2(F.relu(self.fc1(x)))
        return F.log_softmax(self.fc2(x), dim=1)


def train(model, loader, optimizer, epoch):
    model.train()
    for batch, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
        if batch % 3 == 0:
            print("Epoch {} [{:3d}/{} ({:.0f}%)]\tloss {:.4f}".format(
                epoch, batch * len(data), len(loader.dataset), 100.0 * batch / len(loader), loss.item()
            ))


def test(model, loader):
    model.eval()
    total, correct = 0, 0
    table = torch.zeros(3, 3, dtype=torch.int64)
    with torch.no_grad():
        for data, target in loader:
            output = model(data)
            total += F.nll_loss(output, target, reduction="sum").item()
            guess = output.argmax(dim=1, keepdim=True)
            correct += guess.eq(target.view_as(guess)).sum().item()
            for t, g in zip(target, guess.flatten()):
                table[t, g] += 1
    print("average loss {:.4f}, right {}/{}".format(total / len(loader.dataset), correct, len(loader.dataset)))
    return table


train_set, test_set = random_split(Signs(120, shifted), [0.75, 0.25])
print(len(train_set), len(test_set), train_set[0][0].shape, CLASSES[train_set[0][1]])
train_loader = DataLoader(train_set, batch_size=15, shuffle=True)
test_loader = DataLoader(test_set, batch_size=30)
model = Net()
print(model)
optimizer = optim.Adadelta(model.parameters(), lr=0.5)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
for epoch in range(1, 5):
    train(model, train_loader, optimizer, epoch)
    table = test(model, test_loader)
    scheduler.step()
print(table.sum(), scheduler.get_last_lr())
for name, right, count in zip(CLASSES, table.diagonal(), table.sum(1)):
    print(f"{name:10s} {right.item() <= count.item()}")
