import torch
import torch.nn.functional as F

x = torch.arange(9.0).reshape(1, 1, 3, 3)
print(F.interpolate(x, scale_factor=2))
print(F.interpolate(x, size=(2, 2), mode="nearest"))
print(F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False))
print(F.interpolate(x, size=(5, 5), mode="bilinear", align_corners=True))
y = torch.arange(16.0).reshape(1, 4, 2, 2)
shuffled = F.pixel_shuffle(y, 2)
print(shuffled)
print(torch.equal(F.pixel_unshuffle(shuffled, 2), y))

# Patches of a picture, and back: every pixel is counted as often as it was taken.
patches = F.unfold(x, kernel_size=2)
print(patches.shape, patches)
print(F.fold(patches, output_size=(3, 3), kernel_size=2))
print(F.avg_pool2d(x, 2, stride=1), F.max_pool2d(x, 2, stride=1, padding=1))
print(F.adaptive_avg_pool2d(x, (2, 2)), F.adaptive_max_pool2d(x, 1))
values, where = F.max_pool2d(x, 2, stride=1, return_indices=True)
print(values.flatten(), where.flatten())

# Edges by a fixed kernel, with gradients to the picture.
sobel = torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]]).view(1, 1, 3, 3)
picture = (x * x).requires_grad_()
edges = F.conv2d(picture, sobel, padding=1)
print(edges)
edges.square().mean().backward()
print(picture.grad)
print(F.conv2d(x, sobel, padding="same").shape, F.conv2d(x, sobel, stride=2, padding=1))
print(F.conv_transpose2d(x[..., :2, :2], torch.ones(1, 1, 2, 2), stride=2))
print(F.conv1d(torch.arange(5.0).view(1, 1, 5), torch.tensor([[[1.0, -1.0]]]), dilation=2))
