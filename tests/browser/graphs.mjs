// Five programs whose graphs differ: a sum, a fan-out, a network, two walks back, and one that breaks.

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
