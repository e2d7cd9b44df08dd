// Twelve networks, from one neuron to a chain of thousands of calls: what a stage must be able to show.

const HEAD = `import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F
torch.manual_seed(0)
`;

export const networks = {
  "a neuron": `
x, w, b = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -0.3], requires_grad=True), torch.tensor(0.1, requires_grad=True)
loss = (torch.tanh((w * x).sum() + b) - 1.0) ** 2
loss.backward()`,
  "an MLP": `
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
loss = F.cross_entropy(model(torch.randn(5, 8)), torch.tensor([0, 1, 2, 1, 0]))
loss.backward()`,
  "fifty gears": `
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(50):
    y = y * 1.1
y.backward()`,
  LeNet: `
class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(16, 12), nn.Linear(12, 8), nn.Linear(8, 10)
    def forward(self, x):
        x = F.max_pool2d(torch.tanh(self.conv1(x)), 2)
        x = F.max_pool2d(torch.tanh(self.conv2(x)), 2)
        x = torch.tanh(self.fc1(x.flatten(1)))
        return self.fc3(torch.tanh(self.fc2(x)))
loss = F.cross_entropy(LeNet()(torch.randn(2, 1, 12, 12)), torch.tensor([3, 7]))
loss.backward()`,
  "a ResNet-18": `
from torchvision.models import resnet18
model = resnet18(num_classes=10)
loss = F.cross_entropy(model(torch.randn(2, 3, 32, 32)), torch.tensor([3, 7]))
loss.backward()`,
  "an RNN of 60 steps": `
W, U, b = [torch.randn(4, 4, requires_grad=True) for _ in range(2)] + [torch.zeros(4, requires_grad=True)]
h = torch.zeros(1, 4)
for t in range(60):
    h = torch.tanh(torch.randn(1, 4) @ W + h @ U + b)
loss = (h ** 2).mean()
loss.backward()`,
  "an LSTM of 20 steps": `
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.input, self.hidden = nn.Linear(3, 16), nn.Linear(4, 16)
    def forward(self, x, h, c):
        i, f, g, o = (self.input(x) + self.hidden(h)).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c
cell, h, c = Cell(), torch.zeros(2, 4), torch.zeros(2, 4)
for t in range(20):
    h, c = cell(torch.randn(2, 3), h, c)
loss = h.square().mean()
loss.backward()`,
  "a GPT of 4 blocks": `
class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(n), nn.LayerNorm(n)
        self.q, self.k, self.v, self.out = [nn.Linear(n, n) for _ in range(4)]
        self.up, self.down = nn.Linear(n, 4 * n), nn.Linear(4 * n, n)
    def forward(self, x):
        y = self.ln1(x)
        mask = torch.tril(torch.ones(x.shape[1], x.shape[1]))
        scores = self.q(y) @ self.k(y).transpose(1, 2) / 8 ** 0.5
        x = x + self.out(F.softmax(scores.masked_fill(mask == 0, float("-inf")), -1) @ self.v(y))
        return x + self.down(F.gelu(self.up(self.ln2(x))))
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.place = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.blocks = nn.Sequential(*[Block(8) for _ in range(4)])
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 11)
    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.token(ids) + self.place(torch.arange(6)))))
ids = torch.randint(0, 11, (2, 7))
loss = F.cross_entropy(GPT()(ids[:, :-1]).reshape(-1, 11), ids[:, 1:].reshape(-1))
loss.backward()`,
  "an autoencoder": `
encoder = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 2))
decoder = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 12), nn.Sigmoid())
x = torch.rand(4, 12)
loss = F.mse_loss(decoder(encoder(x)), x)
loss.backward()`,
  "a U with skips": `
down, up = [nn.Linear(8, 8) for _ in range(5)], [nn.Linear(16, 8) for _ in range(5)]
x, kept = torch.randn(3, 8), []
for layer in down:
    x = torch.relu(layer(x))
    kept.append(x)
for layer in up:
    x = torch.relu(layer(torch.cat([x, kept.pop()], 1)))
loss = x.mean()
loss.backward()`,
  "attention in primitives": `
x = torch.randn(1, 5, 8)
heads = [[torch.randn(8, 4, requires_grad=True) for _ in range(3)] for _ in range(3)]
outs = []
for q, k, v in heads:
    scores = (x @ q) @ (x @ k).transpose(1, 2) / 2.0
    outs.append(F.softmax(scores, -1) @ (x @ v))
loss = torch.cat(outs, -1).square().mean()
loss.backward()`,
  "a chain of four thousand calls": `
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x
for i in range(2000):
    y = torch.sin(y) + x
y.sum().backward()`,
};

/** The program of a network. */
export const program = (name) => HEAD + networks[name];
