import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

warnings.simplefilter("ignore")
torch.set_printoptions(precision=3)
prediction = torch.tensor([0.5, -1.0, 2.0, 0.0])
target = torch.tensor([1.0, 1.0, 0.0, 0.0])
logits = torch.tensor([[2.0, 0.5, -1.0], [0.1, 0.2, 0.3], [-2.0, 1.0, 3.0]])
labels = torch.tensor([0, 2, 1])
soft = torch.tensor([[0.7, 0.2, 0.1], [0.0, 0.5, 0.5], [0.1, 0.8, 0.1]])
signs = torch.tensor([1.0, -1.0, 1.0])
u, v = logits, logits.flip(0)
weight = torch.tensor([1.0, 2.0, 0.5])
for name, loss in {
    "mse": lambda r: F.mse_loss(prediction, target, reduction=r),
    "l1": lambda r: F.l1_loss(prediction, target, reduction=r),
    "smooth l1": lambda r: F.smooth_l1_loss(prediction, target, reduction=r, beta=0.5),
    "huber": lambda r: F.huber_loss(prediction, target, reduction=r, delta=1.5),
    "bce": lambda r: F.binary_cross_entropy(prediction.sigmoid(), target, reduction=r),
    "bce logits": lambda r: F.binary_cross_entropy_with_logits(prediction, target, reduction=r),
    "pos weight": lambda r: nn.BCEWithLogitsLoss(reduction=r, pos_weight=torch.tensor(3.0))(prediction, target),
    "entropy": lambda r: F.cross_entropy(logits, labels, reduction=r),
    "weighted": lambda r: F.cross_entropy(logits, labels, weight=weight, reduction=r),
    "ignored": lambda r: F.cross_entropy(logits, labels, ignore_index=2, reduction=r),
    "smoothed": lambda r: F.cross_entropy(logits, labels, label_smoothing=0.1, reduction=r),
    "soft": lambda r: F.cross_entropy(logits, soft, reduction=r),
    "nll": lambda r: F.nll_loss(logits.log_softmax(1), labels, reduction=r),
    "kl": lambda r: F.kl_div(logits.log_softmax(1), soft, reduction=r),
    "cosine": lambda r: F.cosine_embedding_loss(u, v, signs, margin=0.2, reduction=r),
    "triplet": lambda r: F.triplet_margin_loss(u, v, u + 1, reduction=r),
    "ranking": lambda r: F.margin_ranking_loss(u[0], v[0], signs, margin=0.5, reduction=r),
    "hinge": lambda r: F.hinge_embedding_loss(u[0], signs, reduction=r),
}.items():
    print(name.ljust(10), f"{loss('mean').item():8.3f} {loss('sum').item():8.3f}", loss("none"))
print(F.kl_div(logits.log_softmax(1), soft, reduction="batchmean"), F.cosine_similarity(u, v, dim=1))
print(nn.CrossEntropyLoss(weight=weight)(logits, labels), nn.HuberLoss(), nn.NLLLoss(ignore_index=1))
x = logits.clone().requires_grad_()
loss = F.cross_entropy(x, labels, label_smoothing=0.1)
print(loss)
loss.backward()
print(x.grad, x.grad.sum(1).abs().max() < 1e-6)
for wrong in [lambda: F.mse_loss(prediction, target, reduction="average"), lambda: F.cross_entropy(logits, labels + 5)]:
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__)
