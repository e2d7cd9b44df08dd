# Autoencoders: one of dense layers, one that takes noise away, one of convolutions.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
angles = torch.rand(96) * 6.28
rows, columns = torch.meshgrid(torch.linspace(-1, 1, 8), torch.linspace(-1, 1, 8), indexing="ij")
stripes = torch.sin(4 * (torch.cos(angles)[:, None, None] * rows + torch.sin(angles)[:, None, None] * columns))
stripes = (stripes + 1) / 2
loader = DataLoader(TensorDataset(stripes.unsqueeze(1)), batch_size=24, shuffle=True)


class Dense(nn.Module):
    def __init__(self, code=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(64, 24), nn.ELU(), nn.Linear(24, code))
        self.decoder = nn.Sequential(
            nn.Linear(code, 24), nn.ELU(), nn.Linear(24, 64), nn.Sigmoid(), nn.Unflatten(1, (1, 8, 8))
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.PReLU(), nn.Conv2d(4, 8, 3, stride=2, padding=1)
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(8, 4, 2, stride=2), nn.PReLU(),
            nn.ConvTranspose2d(4, 1, 3, stride=2, padding=1, output_padding=1), nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


def train(model, noise, epochs=4):
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-5)
    for epoch in range(epochs):
        total = 0.0
        for (batch,) in loader:
            seen = batch + noise * torch.randn_like(batch) if noise else batch
            loss = F.mse_loss(model(seen), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        print(f"  epoch {epoch + 1}: {total / len(loader.dataset):.4f}")
    return model


for name, model, noise in [
    ("dense", Dense(), 0.0), ("takes noise away", Dense(8), 0.3), ("convolutional", Convolutional(), 0.0)
]:
    print(name, sum(p.numel() for p in model.parameters()))
    train(model, noise)
model.eval()
with torch.no_grad():
    code = model.encoder(stripes[:2].unsqueeze(1))
    print(code.shape, model.decoder(code).shape)
print(model)
