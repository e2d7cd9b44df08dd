import torch
import torch.nn as nn
import torch.nn.functional as F

text = "the quick brown fox jumps over the lazy dog. "
letters = sorted(set(text))
ids = torch.tensor([letters.index(letter) for letter in text])
x, y = ids[:-1].reshape(4, 11), ids[1:].reshape(4, 11)


class Model(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.embedding = nn.Embedding(len(letters), 8)
        self.recurrent = kind(8, 16, batch_first=True, **options)
        self.read = nn.Linear(16 * (2 if options.get("bidirectional") else 1), len(letters))

    def forward(self, ids, state=None):
        h, state = self.recurrent(self.embedding(ids), state)
        return self.read(h), state


for kind, options in (
    (nn.LSTM, dict()), (nn.GRU, dict()), (nn.RNN, dict(nonlinearity="relu")),
    (nn.LSTM, dict(num_layers=2, bidirectional=True)), (nn.GRU, dict(num_layers=2, dropout=0.0)),
):
    torch.manual_seed(0)
    model = Model(kind, **options)
    print(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(20):
        logits, _ = model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.4f}")

# Truncated: the state goes on, its gradient does not.
torch.manual_seed(1)
model = Model(nn.LSTM)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
state = None
for step in range(6):
    part = slice(5 * (step % 2), 5 * (step % 2) + 5)
    logits, state = model(x[:, part], state)
    state = tuple(each.detach() for each in state)
    loss = F.cross_entropy(logits.reshape(-1, len(letters)), y[:, part].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}", [round(each.abs().sum().item(), 3) for each in state])

# Written one letter at a time.
model.eval()
with torch.no_grad():
    letter, state, written = x[:1, :1], None, []
    for _ in range(8):
        logits, state = model(letter, state)
        letter = logits[:, -1:].argmax(-1)
        written.append(letters[letter.item()])
print("".join(written))

# The parity of bits, with a cell.
torch.manual_seed(2)
bits = torch.randint(0, 2, (16, 6)).float()
odd = bits.sum(1) % 2
cell, read = nn.LSTMCell(1, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *read.parameters()], lr=0.05)
for step in range(10):
    h = c = torch.zeros(16, 8)
    for t in range(6):
        h, c = cell(bits[:, t:t + 1], (h, c))
    loss = F.binary_cross_entropy_with_logits(read(h).squeeze(1), odd)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
