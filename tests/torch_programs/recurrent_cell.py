import torch
import torch.nn as nn


class Cell(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.hidden = hidden
        self.input = nn.Linear(inputs, hidden)
        self.recurrent = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h):
        return torch.tanh(self.input(x) + self.recurrent(h))


class Counter(nn.Module):
    """Reads bits and says whether it saw an odd number of ones."""

    def __init__(self, hidden):
        super().__init__()
        self.cell = Cell(1, hidden)
        self.read = nn.Linear(hidden, 1)

    def forward(self, bits):
        h = bits.new_zeros(bits.size(0), self.cell.hidden)
        states = []
        for x in bits.unbind(1):
            h = self.cell(x.unsqueeze(-1), h)
            states.append(h)
        return self.read(h).squeeze(-1), torch.stack(states, dim=1)


torch.manual_seed(0)
bits = torch.tensor([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
odd = (bits.sum(1) % 2).float()
model = Counter(6)
print(model)
logits, states = model(bits.float())
print(logits, states.shape)
print(states[1])
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for step in range(20):
    loss = criterion(model(bits.float())[0], odd)
    optimizer.zero_grad()
    loss.backward()
    total = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
    optimizer.step()
    if step % 5 == 0:
        print(step, f"{loss.item():.4f} {total.item():.3f}")

# Through time: how far back the last state feels the first input.
x = torch.ones(1, 6, requires_grad=True)
out, _ = model(x)
(g,) = torch.autograd.grad(out.sum(), x)
print(g.shape, (g != 0).all(), out.requires_grad)
h = torch.zeros(1, 6)
for t in range(3):
    h = model.cell(torch.ones(1, 1), h).detach()
print(h.grad_fn, h.requires_grad)
