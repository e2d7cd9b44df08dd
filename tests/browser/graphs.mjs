// Five programs whose graphs differ: a sum, a fan-out, a network, two walks back, and one that breaks; and
// the training step of ResNet-18s, as large as is asked for.

export const graphs = {
  "a sum": `import glowgrad as torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([0.5, 0.5, 2.0])
loss = (x * y).sum()
loss.backward()`,
  "a value used three times": `import glowgrad as torch
x = torch.tensor(0.5, requires_grad=True)
a = x.tanh()
loss = a * a + a * x
loss.backward()`,
  "a network": `import glowgrad as torch
import glowgrad.nn as nn
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
x = torch.randn(5, 3)
target = torch.randn(5, 2)
loss = ((model(x) - target) ** 2).mean()
loss.backward()`,
  "two walks back": `import glowgrad as torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
a = (w * w).sum()
b = w.exp().sum()
a.backward()
b.backward()`,
  "a logarithm of zero": `import glowgrad as torch
x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
z = x * 2
loss = (z.log() * z).sum()
loss.backward()`,
};

/**
 * A training step of so many ResNet-18s whose logits are added, convolutions and norms written out in
 * primitives: 450 nodes each. Its graph is kept after the walk back: of one that is not, the engine keeps
 * the last few thousand nodes.
 */
export const resnets = (count) => `import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F
torch.manual_seed(0)

class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1, n, 1, 1))
        self.bias = nn.Parameter(torch.zeros(1, n, 1, 1))
    def forward(self, x):
        count = x.numel() / x.shape[1]
        mean = x.sum((0, 2, 3), keepdim=True) * (1 / count)
        centred = x - mean.expand(x.shape)
        variance = (centred * centred).sum((0, 2, 3), keepdim=True) * (1 / count)
        normal = centred * torch.rsqrt(variance + 1e-5).expand(x.shape)
        return normal * self.weight + self.bias

class Conv(nn.Module):
    def __init__(self, n_in, n_out, kernel, stride):
        super().__init__()
        self.kernel, self.stride = kernel, stride
        self.weight = nn.Parameter(torch.randn(n_out, n_in, kernel, kernel) * 0.2)
    def forward(self, x):
        B, size = x.shape[0], (x.shape[2] - 1) // self.stride + 1
        columns = F.unfold(x, self.kernel, padding=self.kernel // 2, stride=self.stride)
        product = self.weight.reshape(self.weight.shape[0], -1) @ columns.reshape(B, -1, size * size)
        return product.reshape(B, -1, size, size)

class Block(nn.Module):
    def __init__(self, n_in, n_out, stride):
        super().__init__()
        self.conv1, self.bn1 = Conv(n_in, n_out, 3, stride), Norm(n_out)
        self.conv2, self.bn2 = Conv(n_out, n_out, 3, 1), Norm(n_out)
        self.downsample = nn.Sequential(Conv(n_in, n_out, 1, stride), Norm(n_out)) if stride > 1 else None
    def forward(self, x):
        y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(y + (x if self.downsample is None else self.downsample(x)))

class ResNet18(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.conv1, self.bn1 = Conv(1, 2, 3, 1), Norm(2)
        self.layer1 = nn.Sequential(Block(2, 2, 1), Block(2, 2, 1))
        self.layer2 = nn.Sequential(Block(2, 4, 2), Block(4, 4, 1))
        self.layer3 = nn.Sequential(Block(4, 4, 2), Block(4, 4, 1))
        self.layer4 = nn.Sequential(Block(4, 8, 2), Block(8, 8, 1))
        self.fc = nn.Linear(8, classes)
    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 2)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))

class Ensemble(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.members = nn.ModuleList([ResNet18() for _ in range(count)])
    def forward(self, x):
        return sum(member(x) for member in self.members)

model = Ensemble(${count})
loss = F.cross_entropy(model(torch.randn(2, 1, 16, 16)), torch.tensor([0, 1]))
loss.backward(retain_graph=True)`;
