import torch
import torch.nn.functional as F

# A picture of bytes: height, width, channel.
image = (torch.arange(4 * 4 * 3) * 5 % 256).to(torch.uint8).reshape(4, 4, 3)
print(image.shape, image.dtype, image.stride(), image.is_contiguous())
chw = image.permute(2, 0, 1)
print(chw.shape, chw.stride(), chw.is_contiguous())
print(chw[0])
print(image + 100 < image)

# Brighter, without wrapping round.
bright = (image.int() + 100).clamp(0, 255).to(torch.uint8)
print(bright[..., 2])
unit = chw.float() / 255
print(unit[1])
mean, std = unit.mean(dim=(1, 2), keepdim=True), unit.std(dim=(1, 2), keepdim=True)
print(mean.flatten(), std.flatten())
normal = (unit - mean) / std
print(normal.sum(dim=(1, 2)).abs() < 1e-4, normal[0, 0])
grey = (unit * torch.tensor([0.299, 0.587, 0.114]).view(3, 1, 1)).sum(dim=0)
print(grey)
print((grey * 255).round().to(torch.uint8))

# Mirrored, turned, moved, cropped, framed.
byte = chw[0]
print(byte.flip(1))
print(torch.rot90(byte), byte.roll((1, -1), dims=(0, 1)))
print(byte[1:3, 1:3], F.pad(byte, (1, 0, 0, 1), value=9))
print(F.pad(unit[:1, :2, :3], (1, 1, 1, 1), mode="reflect"))
print(F.pad(unit[:1, :2, :2], (2, 0, 0, 1), mode="replicate"))
print(F.pad(torch.arange(4.0).view(1, 1, 4), (1, 2), mode="circular"))
print(byte.bincount(minlength=0) if byte.dim() == 1 else byte.flatten().bincount().nonzero().flatten())
print(torch.histc(grey, bins=4, min=0, max=1))
