# A picture to a picture: a small U-shaped network that marks discs, with losses of overlap.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(14)
rows, columns = torch.meshgrid(torch.arange(14), torch.arange(18), indexing="ij")
centres, radii = torch.rand(10, 2) * torch.tensor([14, 18]), 2 + 2 * torch.rand(10)
masks = (
    (rows - centres[:, 0, None, None]) ** 2 + (columns - centres[:, 1, None, None]) ** 2
    < radii[:, None, None] ** 2
).float().unsqueeze(1)
images = masks + 0.3 * torch.randn(10, 1, 14, 18)
print(images.shape, masks.mean())


def twice(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.InstanceNorm2d(outputs, affine=True),
        nn.ReLU(inplace=True),
    )


class U(nn.Module):
    def __init__(self, smooth):
        super().__init__()
        self.enter, self.down, self.bottom = twice(1, 4), nn.MaxPool2d(2), twice(4, 8)
        if smooth:
            self.up = nn.Sequential(
                nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Conv2d(8, 4, 1)
            )
        else:
            self.up = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)
        self.leave, self.read = twice(8, 4), nn.Conv2d(4, 1, kernel_size=1)

    def forward(self, x):
        wide = self.enter(x)
        up = self.up(self.bottom(self.down(wide)))
        more = [wide.size(2) - up.size(2), wide.size(3) - up.size(3)]
        up = F.pad(up, [more[1] // 2, more[1] - more[1] // 2, more[0] // 2, more[0] - more[0] // 2])
        return self.read(self.leave(torch.cat([wide, up], dim=1)))


class Dice(nn.Module):
    def __init__(self, eps=1.0):
        super().__init__()
        self.eps = eps

    def forward(self, logits, wanted):
        p = torch.sigmoid(logits).flatten(1)
        wanted = wanted.flatten(1)
        both = (p * wanted).sum(1)
        return 1 - ((2 * both + self.eps) / (p.sum(1) + wanted.sum(1) + self.eps)).mean()


def overlap(logits, wanted):
    p, wanted = logits > 0, wanted.bool()
    return (p & wanted).sum().item() / max(1, (p | wanted).sum().item())


weight = (masks == 0).sum() / masks.sum()
losses = {
    "dice": Dice(), "entropy": nn.BCEWithLogitsLoss(pos_weight=weight),
    "focal": lambda z, m: (F.binary_cross_entropy_with_logits(z, m, reduction="none") * (torch.sigmoid(z) - m).abs() ** 2).mean(),
}
for smooth in (False, True):
    for name, criterion in losses.items():
        torch.manual_seed(1)
        model = U(smooth)
        optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3, momentum=0.5)
        found = []
        for step in range(6):
            loss = criterion(model(images), masks)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(f"{loss.item():.3f}")
        print(smooth, name, *found)
model.eval()
with torch.no_grad():
    out = model(images[:2])
    print(out.shape, 0 <= overlap(out, masks[:2]) <= 1, model(images[:1, :, :13, :17]).shape)
print(model)
