# torchvision's transforms, FakeData and grids: the same pixels, the same draws, the same words.
import random
import numpy as np
import torch
import torchvision
from torchvision import datasets, transforms, utils
import torchvision.transforms as T
import torchvision.transforms.functional as TF
from torchvision.transforms import v2
def show(x):
    if not isinstance(x, torch.Tensor):
        x = TF.pil_to_tensor(x)
    s = x.float()
    print(tuple(x.shape), x.dtype, round(s.mean().item(), 3), round(s.std().item(), 3), [round(v, 3)
        for v in s.flatten()[:: max(1, s.numel() // 7)].tolist()])
ds = datasets.FakeData(4, (3, 20, 24), 10)
print(ds); print(len(ds), ds[2][0].size, ds[2][0].mode, ds[2][1])
im, _ = ds[0]
t = T.ToTensor()(im)
show(im); show(t)
fl = [T.Resize(10), T.Resize((7, 9)), T.Resize(16, max_size=18), T.Resize((40, 31)),
    T.Resize(10, interpolation=T.InterpolationMode.NEAREST),
  T.Resize((13, 11), interpolation=T.InterpolationMode.BICUBIC), T.CenterCrop(10),
      T.CenterCrop((30, 12)), T.Pad(2), T.Pad((1, 2, 3, 4), fill=7), T.Pad(3, padding_mode='reflect'),
      T.Pad(3, padding_mode='edge'), T.Pad(2, padding_mode='symmetric'),
  T.RandomCrop(16), T.RandomCrop(24, padding=4), T.RandomCrop(30, pad_if_needed=True),
      T.RandomHorizontalFlip(), T.RandomVerticalFlip(), T.RandomResizedCrop(12),
      T.RandomResizedCrop(8, scale=(0.5, 1)),
  T.Grayscale(), T.Grayscale(3), T.RandomGrayscale(0.5), T.ColorJitter(0.4, 0.4, 0.4),
      T.ColorJitter(brightness=.5), T.ColorJitter(contrast=.5), T.ColorJitter(saturation=.5),
      T.RandomRotation(0), T.RandomAffine(0, translate=(0.1, 0.1)),
  T.GaussianBlur(3), T.GaussianBlur((5, 3), 1.0), T.RandomInvert(), T.RandomSolarize(128 / 255),
      T.RandomApply([T.RandomHorizontalFlip(1.0)], p=0.5), T.RandomOrder([T.Pad(1), T.CenterCrop(8)]),
      T.RandomChoice([T.Pad(1), T.CenterCrop(8)])]
torch.manual_seed(0); random.seed(0)
for f in fl:
    print(f)
    for k in range(2):
        if 'Solarize' not in str(f): show(f(im))
        show(f(t))
for f in [T.RandomRotation(30), T.RandomRotation((10, 20), fill=0.5), T.RandomRotation(30,
    interpolation=T.InterpolationMode.BILINEAR, expand=True), T.RandomAffine(15, translate=(0.2,
    0.2), scale=(0.8, 1.2), shear=10), T.RandomErasing(1.0), T.RandomErasing(value='random'),
    T.ColorJitter(hue=.3), T.ColorJitter(.2,.2,.2,.2), T.Normalize((0.5,)*3, (0.2,)*3),
    T.ConvertImageDtype(torch.uint8), T.FiveCrop(8), T.TenCrop(6), T.Lambda(lambda x: x * 2),
   T.LinearTransformation(torch.eye(1440), torch.ones(1440)) ]:
    if 'Linear' not in type(f).__name__: print(f)
    r = f(t)
    for x in (r if isinstance(r, tuple) else [r]): show(x)
torch.manual_seed(3)
r = T.RandomRotation(30)
show(r(im)); show(T.RandomAffine(15, scale=(0.8, 1.2))(im))
print(T.Compose([T.ToTensor(), T.Normalize((0.1307,), (0.3081,))]))
print(T.ToPILImage(), T.ToPILImage('RGB'), T.PILToTensor(), T.RandomApply([T.ToTensor()]))
show(T.ToTensor()(np.arange(24, dtype=np.uint8).reshape(2, 3, 4)))
show(T.ToTensor()(np.arange(6, dtype=np.float32).reshape(2, 3)))
show(T.ToPILImage()(np.arange(24, dtype=np.uint8).reshape(2, 4, 3)))
print(np.asarray(im).shape, np.array(im).dtype, im.convert('L').size, im.getpixel((3, 2)),
    np.asarray(im.convert('L'))[:2, :4])
for call in (lambda: T.ToTensor()([1]), lambda: T.Normalize(0.5, 0.0)(t), lambda:
    T.Normalize((0.5,), (0.5,))(im), lambda: T.RandomCrop(50)(t), lambda: T.Lambda(3), lambda:
    T.ColorJitter(-1), lambda: T.CenterCrop((1, 2, 3)), lambda: T.ToPILImage()(torch.rand(5, 2, 2)),
    lambda: ds[9], lambda: T.Pad((1,2,3)), lambda: T.RandomRotation(-1), lambda: utils.make_grid(3),
    lambda: T.Normalize((.5,),(.5,))(torch.ones(3,2,2,dtype=torch.uint8)), lambda:
    T.RandomErasing(2)):
    try: call(); print('fine')
    except Exception as e: print(type(e).__name__, str(e)[:150])
g = torch.rand(10, 1, 5, 6)
show(utils.make_grid(g))
show(utils.make_grid(g, nrow=4, padding=1, pad_value=0.5))
show(utils.make_grid(g, normalize=True))
show(utils.make_grid(g, normalize=True, scale_each=True, value_range=(0, 2)))
show(utils.make_grid(g[0]))
show(utils.make_grid([x for x in g]))
show(utils.make_grid(torch.rand(4, 4)))
import io
b = io.BytesIO(); utils.save_image(g, b, 'png'); print(b.getvalue()[:24])
tr = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5]*3,
    [0.5]*3)])
show(tr(im))
show(TF.hflip(t))
show(TF.rotate(t, 90))
show(TF.rotate(im, 90))
show(TF.adjust_gamma(t, 2))
show(TF.resize(t, [5, 5], antialias=False))
show(TF.crop(t, -2, -2, 10, 10))
show(TF.posterize(TF.pil_to_tensor(im), 3))
show(TF.affine(t, 0, [2, 1], 1.0, [0.0, 0.0]))
