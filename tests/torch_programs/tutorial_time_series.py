# The next values of a series: windows of NumPy arrays, four networks, and a forecast by its own output.
import numpy as np
import torch
from torch import nn

rng = np.random.RandomState(0)
t = np.arange(90)
series = 0.02 * t + np.sin(2 * np.pi * t / 12) + 0.05 * rng.randn(90)
split = 72
mean, deviation = series[:split].mean(), series[:split].std()
scaled = ((series - mean) / deviation).astype(np.float32)


def windows(values, look_back):
    x, y = [], []
    for i in range(len(values) - look_back):
        x.append(values[i:i + look_back])
        y.append(values[i + look_back])
    return torch.from_numpy(np.stack(x)).unsqueeze(-1), torch.tensor(np.array(y)).unsqueeze(-1)


x, y = windows(scaled[:split], 12)
test_x, test_y = windows(scaled[split - 12:], 12)
print(x.shape, y.shape, x.dtype, test_x.shape)


class Recurrent(nn.Module):
    def __init__(self, kind, hidden=10):
        super().__init__()
        self.rnn = getattr(nn, kind)(1, hidden, num_layers=2, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1, :])


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(1, 6, 3, padding=2, dilation=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(6, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(6, 1),
        )

    def forward(self, x):
        return self.net(x.transpose(1, 2))


class ByHand(nn.Module):
    """Two cells, one after the other, as their formulas say."""

    def __init__(self, hidden=10):
        super().__init__()
        self.hidden = hidden
        self.cell1, self.cell2 = nn.LSTMCell(1, hidden), nn.GRUCell(hidden, hidden)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        h1 = torch.zeros(x.size(0), self.hidden, dtype=x.dtype)
        c1, h2 = torch.zeros_like(h1), torch.zeros_like(h1)
        for value in x.split(1, dim=1):
            h1, c1 = self.cell1(value.squeeze(1), (h1, c1))
            h2 = self.cell2(h1, h2)
        return self.head(h2)


criterion = nn.MSELoss()
for make in (lambda: Recurrent("LSTM"), lambda: Recurrent("GRU"), lambda: Recurrent("RNN"), Convolutional, ByHand):
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(12):
        model.train()
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
    model.eval()
    with torch.no_grad():
        error = torch.sqrt(criterion(model(test_x), test_y)).item() * deviation
    print(type(model).__name__, f"train {loss.item():.4f}, test {error:.3f}")

with torch.no_grad():
    window = x[-1:].clone()
    told = []
    for _ in range(5):
        nearest = model(window)
        told.append(nearest.item() * deviation + mean)
        window = torch.cat([window[:, 1:], nearest.unsqueeze(1)], dim=1)
print(np.round(np.array(told), 2))

# A straight line through the last year by least squares, and a curve by LBFGS in double precision.
a = np.stack([t, np.ones(90)], axis=1)
slope, start = np.linalg.solve(a.T @ a, a.T @ series)
print(f"{slope:.4f} {start:.4f}")
parts = torch.tensor([0.0, 1.0, 0.5, 0.1], dtype=torch.float64, requires_grad=True)
time, values = torch.from_numpy(t / 12), torch.from_numpy(series)
optimizer = torch.optim.LBFGS([parts], lr=1, max_iter=20, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    a, b, c, d = parts
    loss = ((a + b * time + c * torch.sin(6.283185307 * time + d) - values) ** 2).mean()
    loss.backward()
    return loss


print(f"{optimizer.step(closure).item():.4f} {closure().item():.5f}", [round(v, 3) for v in parts.tolist()])
