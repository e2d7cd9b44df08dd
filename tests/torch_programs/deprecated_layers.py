import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x):
    return [round(v, 4) + 0.0 for v in x.flatten().tolist()]


def warned(make):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = make()
    print(result if not isinstance(result, torch.Tensor) else (list(result.shape), numbers(result)))
    for each in seen:
        print("  ", each.category.__name__, str(each.message))


torch.manual_seed(0)
image, signal = torch.arange(4.0).reshape(1, 1, 2, 2), torch.ones(1, 2, 3)
x, y = torch.tensor([0.5, 1.0]), torch.tensor([1.0, 3.0])
warned(lambda: F.upsample(image, scale_factor=2))
warned(lambda: F.upsample(image, 3, None, "bilinear", True))
warned(lambda: F.upsample_nearest(image, 3))
warned(lambda: F.upsample_bilinear(image, scale_factor=2))
warned(lambda: nn.NLLLoss2d()(torch.zeros(1, 2, 1, 1), torch.zeros(1, 1, 1).long()))
warned(lambda: nn.Container(first=nn.ReLU(), second=nn.Tanh()))
warned(lambda: nn.Hardtanh(min_value=-2, max_value=3))
for name in "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse".split():
    more = {"constant": (0.5,), "sparse": (0.5,)}.get(name, ())
    shape = (2, 2, 1) if name == "dirac" else (2, 2)
    warned(lambda: getattr(nn.init, name)(torch.empty(shape), *more))
warned(lambda: nn.init.kaiming_normal_(torch.empty(0, 2)).shape)
warned(lambda: nn.init.kaiming_uniform_(torch.empty(2, 0)).shape)
warned(lambda: nn.init.trunc_normal_(torch.empty(3), a=5.0, b=6.0).shape)
warned(lambda: F.softmax(x))
warned(lambda: F.log_softmax(torch.ones(2, 2)))
warned(lambda: nn.Softmin()(torch.ones(1, 1, 1)))
warned(lambda: nn.Softmax()(torch.ones(2, 1)))
warned(lambda: F.gumbel_softmax(torch.tensor([0.0, 50.0]), hard=True, eps=1e-5))
warned(lambda: F.mse_loss(x, y, size_average=False))
warned(lambda: F.l1_loss(x, y, reduce=False))
warned(lambda: nn.SmoothL1Loss(size_average=True, reduce=True).reduction)
warned(lambda: F.mse_loss(torch.ones(2, 1), torch.zeros(1, 2)))
warned(lambda: F.huber_loss(torch.ones(1), torch.zeros(2)))
warned(lambda: F.smooth_l1_loss(torch.ones(1), torch.zeros(2)))
warned(lambda: F.kl_div(x.log(), y))
warned(lambda: nn.KLDivLoss(reduction="batchmean")(x.log(), y))
warned(lambda: F.dropout2d(torch.ones(1, 2, 3), training=False))
warned(lambda: F.dropout2d(torch.ones(1, 2), training=False))
warned(lambda: F.dropout3d(torch.ones(1, 2, 3), training=False))
warned(lambda: nn.InstanceNorm1d(5)(signal))
warned(lambda: F.grid_sample(image, torch.zeros(1, 1, 1, 2)))
warned(lambda: F.affine_grid(torch.eye(2, 3)[None], (1, 1, 1, 1)))
warned(lambda: F.affine_grid(torch.eye(2, 3)[None], (1, 1, 1, 1), align_corners=True))
warned(lambda: F.embedding_bag(torch.ones(2, 2), torch.tensor([[0, 1]])))
