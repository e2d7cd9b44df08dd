import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.flatten().tolist()]


def slopes(what, f, *tensors):
    leaves = [x.clone().requires_grad_() for x in tensors]
    y = f(*leaves)
    weights = torch.linspace(0.5, 2, y.numel()).reshape(y.shape)
    firsts = torch.autograd.grad((y * weights).sum(), leaves, create_graph=True)
    second, = torch.autograd.grad((firsts[0] ** 2).sum() + 0 * leaves[0].sum(), leaves[0])
    print(what, list(y.shape), numbers(y), *map(numbers, firsts), numbers(second))


torch.manual_seed(0)
x = torch.randn(3, 4)
listed = torch.tensor([[0, 2, -1, 1], [3, -1, -1, -1], [-1, 0, 1, 2]])
several = torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]])
weight = torch.tensor([0.5, 1.0, 2.0, 1.5])
a, p, n = torch.randn(3, 4), torch.randn(3, 4), torch.randn(3, 4)
for reduction in ("none", "mean", "sum"):
    named = dict(reduction=reduction)
    print(nn.MultiLabelMarginLoss(**named), nn.MultiLabelMarginLoss(**named).reduction)
    loss = nn.MultiLabelMarginLoss(**named)
    leaf = x.clone().requires_grad_()
    loss(leaf, listed).sum().backward()
    print(numbers(loss(x, listed)), numbers(leaf.grad), numbers(loss(x[0], listed[0])))
    slopes("soft", lambda v: nn.MultiLabelSoftMarginLoss(**named)(v, several), x)
    slopes("soft", lambda v: nn.MultiLabelSoftMarginLoss(weight, **named)(v, several), x)
    slopes("triplet", nn.TripletMarginWithDistanceLoss(**named), a, p, n)
    slopes("triplet", nn.TripletMarginWithDistanceLoss(distance_function=lambda u, v: (u - v).abs().amax(1), margin=2.0, swap=True, **named), a, p, n)
    slopes("linear", lambda v, w: F.linear_cross_entropy(v, w, torch.tensor([1, 0, 2]), **named), x, torch.randn(3, 4))
    slopes("linear", lambda v, w, b: F.linear_cross_entropy(
        v, w, torch.tensor([1, 0, 2]), linear_bias=b, weight=torch.tensor([1.0, 2.0, 0.5]), ignore_index=0, label_smoothing=0.1, **named,
    ), x, torch.randn(3, 4), torch.randn(3))
same = torch.tensor([[0, 0, -1, 1]])
print(F.multilabel_margin_loss(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), same), F.multilabel_margin_loss(x.double(), listed, reduction="sum"))
print(nn.MultiLabelSoftMarginLoss(weight), list(nn.MultiLabelSoftMarginLoss(weight).state_dict()), nn.TripletMarginWithDistanceLoss())
print(F.multilabel_soft_margin_loss(x[0], several[0]), F.triplet_margin_with_distance_loss(a, p, n, swap=True, margin=0.5))
print(F.linear_cross_entropy(x, torch.ones(2, 3, 4), torch.zeros(3, 3).long()), F.linear_cross_entropy(x[0], torch.eye(4), torch.tensor(1)))
print(F.linear_cross_entropy(x, torch.eye(4), several, reduction="none"))

head = nn.LinearCrossEntropyLoss(4, 3, bias=True, label_smoothing=0.1)
print(head, list(head.state_dict()), numbers(head.linear.weight), numbers(head(x, torch.tensor([0, 1, 2]))))
head(x, torch.tensor([0, 1, 2])).backward()
print(numbers(head.linear.weight.grad), numbers(head.linear.bias.grad))
wide = nn.LinearCrossEntropyLoss(4, 3, out_features=(2,), reduction="sum", weight=torch.tensor([1.0, 2.0, 3.0]), ignore_index=1)
print(wide, list(wide.state_dict()), numbers(wide(x, torch.tensor([[0, 1], [2, 2], [1, 0]]))))
options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
print(options, options == nn.LinearCrossEntropyOptions(False, 2), options.acc_policy, numbers(nn.LinearCrossEntropyLoss(4, 3, options=options)(x, torch.tensor([0, 1, 2])))[0] > 0)

# Weights and sizes of the losses that everyone uses.
y, t = torch.tensor([0.2, -1.0, 3.0]), torch.tensor([0.0, 1.0, 1.0])
w = torch.tensor([1.0, 2.0, 0.5])
for f in (F.mse_loss, F.l1_loss, F.huber_loss):
    for reduction in ("none", "mean", "sum"):
        slopes(f.__name__, lambda v: f(v, t, reduction=reduction, weight=w), y)
print(F.smooth_l1_loss(y, t, beta=0.0), F.smooth_l1_loss(y, t, beta=2.0, reduction="sum"), F.huber_loss(y, t, "sum", 0.5))
print(F.gaussian_nll_loss(y, t, w), F.gaussian_nll_loss(y, t, 0.5), F.gaussian_nll_loss(x, several, torch.ones(3) * 2, full=True), F.gaussian_nll_loss(x, several, torch.ones(3, 1) * 2))
print(F.multi_margin_loss(x, torch.tensor([0, 1, 2]), p=2, margin=0.5, weight=weight), nn.MultiMarginLoss(2, 0.5, weight)(x, torch.tensor([0, 1, 2])))

for wrong in (
    lambda: F.multilabel_margin_loss(x, several), lambda: F.multilabel_margin_loss(x, listed[:2]), lambda: F.multilabel_margin_loss(x, listed + 3),
    lambda: F.multilabel_margin_loss(x, listed, reduction="all"), lambda: F.multilabel_soft_margin_loss(x, several, reduction="all"),
    lambda: nn.TripletMarginWithDistanceLoss(margin=0), lambda: F.triplet_margin_with_distance_loss(a, p, n, margin=-1.0),
    lambda: F.triplet_margin_with_distance_loss(a, p, n[0]), lambda: F.triplet_margin_with_distance_loss(a, p, n, reduction="all"),
    lambda: nn.TripletMarginWithDistanceLoss(lambda u, v: 0), lambda: nn.LinearCrossEntropyLoss(4, 3, weight=weight),
    lambda: nn.LinearCrossEntropyLoss(4, 3, label_smoothing=2.0), lambda: F.linear_cross_entropy(x[None], torch.eye(4), torch.tensor([1])),
    lambda: F.linear_cross_entropy(x, torch.eye(3), torch.tensor([1])), lambda: F.linear_cross_entropy(x, torch.ones(4), torch.tensor([1])),
    lambda: F.linear_cross_entropy(x, torch.eye(4), several, ignore_index=1), lambda: F.linear_cross_entropy(x, torch.eye(4), torch.tensor([0, 1, 2]), linear_bias=torch.ones(3)),
    lambda: nn.LinearCrossEntropyOptions(acc_policy="fast"), lambda: nn.LinearCrossEntropyOptions(batch_chunk_size=0), lambda: nn.LinearCrossEntropyOptions(chunking_method="all"),
    lambda: F.mse_loss(y, t, weight=torch.ones(2)), lambda: F.huber_loss(y, t, "all", weight=w), lambda: F.l1_loss(y, t, reduction="all"),
    lambda: F.gaussian_nll_loss(y, t, -1.0), lambda: F.gaussian_nll_loss(y, t, -w), lambda: F.gaussian_nll_loss(x, several, torch.ones(2)),
    lambda: F.multi_margin_loss(x, torch.tensor([0, 1, 2]), p=3), lambda: F.multi_margin_loss(x, torch.tensor([0, 1, 2]), weight=weight[None]),
    lambda: nn.MultiMarginLoss(weight=weight[None]), lambda: nn.MultiMarginLoss(p=0), lambda: nn.MSELoss(weight=w),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
