# Pictures as sequences of patches: a vision transformer, in parts and whole.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Patches(nn.Module):
    def __init__(self, size=12, patch=4, channels=3, width=24):
        super().__init__()
        self.count = (size // patch) ** 2
        self.project = nn.Conv2d(channels, width, kernel_size=patch, stride=patch)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, self.count + 1, width) * 0.02)

    def forward(self, x):
        x = self.project(x).flatten(2).transpose(1, 2)
        return torch.cat((self.first.expand(x.shape[0], -1, -1), x), dim=1) + self.places


class Attention(nn.Module):
    def __init__(self, width, heads=3, dropout=0.0):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Sequential(nn.Linear(width, width), nn.Dropout(dropout))

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        weights = (torch.einsum("bhid,bhjd->bhij", q, k) * self.scale).softmax(dim=-1)
        self.last = weights.detach()
        x = torch.einsum("bhij,bhjd->bhid", weights, v)
        return self.out(x.permute(0, 2, 1, 3).flatten(2))


class Residual(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.norm, self.inner = nn.LayerNorm(width), inner

    def forward(self, x):
        return x + self.inner(self.norm(x))


class ViT(nn.Module):
    def __init__(self, depth=2, width=24, classes=3):
        super().__init__()
        self.patches = Patches(width=width)
        self.blocks = nn.Sequential(*[
            nn.Sequential(
                Residual(width, Attention(width, dropout=0.1)),
                Residual(width, nn.Sequential(nn.Linear(width, 48), nn.GELU(), nn.Linear(48, width))),
            )
            for _ in range(depth)
        ])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.patches(x)))[:, 0])


torch.manual_seed(10)
# A bright patch says the class by its column.
labels = torch.arange(18) % 3
images = 0.5 * torch.randn(18, 3, 12, 12)
for image, label in zip(images, labels):
    row = torch.randint(0, 3, (1,)).item() * 4
    image[:, row:row + 4, 4 * label:4 * label + 4] += 1.5
# Patches by unfold are the patches of the convolution.
patches = Patches()
by_hand = F.unfold(images, 4, stride=4).transpose(1, 2) @ patches.project.weight.flatten(1).T
print(torch.allclose(by_hand + patches.project.bias, patches.project(images).flatten(2).transpose(1, 2), atol=1e-5))
model = ViT()
print(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
schedule = torch.optim.lr_scheduler.SequentialLR(
    optimizer,
    [torch.optim.lr_scheduler.LinearLR(optimizer, 0.2, total_iters=5),
     torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 25)],
    milestones=[5],
)
for step in range(30):
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 6 == 0:
        print(step, f"{loss.item():.3f} {schedule.get_last_lr()[0]:.5f}")
model.eval()
with torch.no_grad():
    guess = model(images).argmax(dim=-1)
print((guess == labels).sum() > 9, model.blocks[0][0].inner.last.shape)
print(torch.allclose(model.blocks[1][0].inner.last.sum(-1), torch.ones(18, 3, 10)))
