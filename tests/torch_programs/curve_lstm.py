# 200 steps of an LSTM that continues a sum of two waves: the curve of the loss.
import torch
from torch import nn

torch.manual_seed(11)
time = torch.arange(0, 12, 0.1)
wave = torch.sin(time) + 0.5 * torch.sin(2.7 * time + 0.4)
windows = wave.unfold(0, 17, 6)
before, after = windows[:, :-1].unsqueeze(-1), windows[:, 1:].unsqueeze(-1)


class Continue(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, state=None):
        y, state = self.lstm(x, state)
        return x + self.out(y), state


model, criterion = Continue(), nn.MSELoss()
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.003, alpha=0.9)
for step in range(200):
    guess, _ = model(before)
    loss = criterion(guess, after)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    if step % 20 == 0 or step == 199:
        print(f"step {step:3d}  loss {loss.item():.4f}")
with torch.no_grad():
    x, state = before[:1], None
    told = []
    for _ in range(6):
        y, state = model(x, state)
        x = y[:, -1:]
        told.append(x.item())
print([f"{value:.2f}" for value in told])
