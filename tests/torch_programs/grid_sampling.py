import torch
import torch.nn.functional as F


def numbers(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.flatten().tolist()]


def show(what, make):
    try:
        y = make()
        print(what, list(y.shape), numbers(y))
    except Exception as error:
        print(what, type(error).__name__)


torch.manual_seed(0)
image, volume = torch.randn(2, 2, 4, 3), torch.randn(1, 2, 2, 3, 3)
# Some places lie outside.
flat, deep = torch.rand(2, 2, 3, 2) * 3 - 1.5, torch.rand(1, 2, 1, 4, 3) * 3 - 1.5
for x, grid, modes in ((image, flat, ("bilinear", "nearest", "bicubic")), (volume, deep, ("bilinear", "nearest", "bicubic"))):
    for mode in modes:
        for padding_mode in ("zeros", "border", "reflection"):
            for align_corners in (False, True):
                what = f"{x.dim()} {mode} {padding_mode} {align_corners}"
                a, g = x.clone().requires_grad_(), grid.clone().requires_grad_()
                y = F.grid_sample(a, g, mode=mode, padding_mode=padding_mode, align_corners=align_corners)
                print(what, list(y.shape), numbers(y))
                weights = torch.linspace(-1, 2, y.numel()).reshape(y.shape)
                by_image, by_grid = torch.autograd.grad((y ** 2 * weights).sum(), (a, g), allow_unused=True)
                print(" ", numbers(by_image, 2), "none" if by_grid is None else numbers(by_grid, 2))
show("positional", lambda: F.grid_sample(image, flat, "nearest", "border", True))
show("double", lambda: F.grid_sample(image.double(), flat.double(), align_corners=False))
corners = torch.tensor([[[[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0]]]])
small = torch.arange(4.0).reshape(1, 1, 2, 2)
for align_corners in (False, True):
    show("corners", lambda: F.grid_sample(small, corners, align_corners=align_corners))
show("one element", lambda: F.grid_sample(small[:, :, :1, :1], corners, padding_mode="reflection", align_corners=True))

turn = torch.tensor([[[0.0, -1.0, 0.2], [1.0, 0.0, -0.1]]], requires_grad=True)
for align_corners in (False, True):
    grid = F.affine_grid(turn, (1, 2, 3, 2), align_corners=align_corners)
    print(list(grid.shape), numbers(grid))
    by_turn, = torch.autograd.grad((grid * torch.arange(12.0).reshape(grid.shape)).sum(), turn, retain_graph=True)
    print(numbers(by_turn))
    y = F.grid_sample(image[:1], grid, align_corners=align_corners)
    by_turn, = torch.autograd.grad(y.pow(2).sum(), turn)
    print(numbers(y), numbers(by_turn, 3))
solid = torch.cat([torch.eye(3), torch.tensor([[0.1], [0.2], [0.3]])], 1)[None].repeat(2, 1, 1)
for align_corners in (False, True):
    show("solid", lambda: F.affine_grid(solid, torch.Size((2, 1, 2, 2, 3)), align_corners=align_corners))
show("one wide", lambda: F.affine_grid(turn, [1, 1, 1, 2], align_corners=False))
show("double", lambda: F.affine_grid(turn.double(), [1, 1, 2, 2], False))
print(F.GRID_SAMPLE_INTERPOLATION_MODES, F.GRID_SAMPLE_PADDING_MODES)

for what, wrong in (
    ("mode", lambda: F.grid_sample(image, flat, mode="linear", align_corners=False)),
    ("padding", lambda: F.grid_sample(image, flat, padding_mode="mirror", align_corners=False)),
    ("batch", lambda: F.grid_sample(image, flat[:1], align_corners=False)),
    ("places", lambda: F.grid_sample(image, torch.zeros(2, 1, 1, 3), align_corners=False)),
    ("dims", lambda: F.grid_sample(image[0], flat[0], align_corners=False)),
    ("dtype", lambda: F.grid_sample(image, flat.double(), align_corners=False)),
    ("empty", lambda: F.grid_sample(image[:, :, :0], flat, align_corners=False)),
    ("theta", lambda: F.affine_grid(torch.zeros(1, 2, 2), (1, 1, 2, 2), align_corners=False)),
    ("theta", lambda: F.affine_grid(torch.zeros(1, 2, 3).long(), (1, 1, 2, 2), align_corners=False)),
    ("sizes", lambda: F.affine_grid(torch.zeros(1, 2, 3), (1, 1, 2), align_corners=False)),
    ("sizes", lambda: F.affine_grid(torch.zeros(1, 2, 3), (1, 1, 2, 0), align_corners=False)),
):
    show(what, wrong)
