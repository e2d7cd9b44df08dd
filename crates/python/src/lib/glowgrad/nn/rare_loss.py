"""Losses that few programs use: functions of `torch.nn.functional` and their modules."""

import math
from dataclasses import dataclass

import _glowgrad as _C
from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn._losses import _reduced, _reduction
from glowgrad.nn.linear import Linear
from glowgrad.nn.loss import NLLLoss, PairwiseDistance, _Loss, _WeightedLoss

__all__ = _LATER["rare_loss"]


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """How far other classes come near the right ones, which -1 ends, within a margin of 1.

    >>> F.multilabel_margin_loss(torch.tensor([0.1, 0.2, 0.8]), torch.tensor([2, -1, 0]))
    """
    reduction = _reduction(size_average, reduce, reduction)
    if target.dtype is not _C.int64:
        raise RuntimeError(
            f"expected scalar type Long but found {target.dtype.scalar_name}; convert the target "
            "with .long()"
        )
    if input.dim() > 2:
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(input.shape)}"
        )
    if target.shape != input.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    x = input.reshape(-1, input.shape[-1] if input.dim() else 1)
    listed, classes = target.detach().reshape(x.shape), x.shape[1]
    if not _C.is_capturing() and _C.quietly(
        lambda: ((listed < -1) | (listed >= classes)).any().item()
    ):
        raise RuntimeError(f"argument #2 'target' is out of range: classes are 0 … {classes - 1}")
    counted = (listed >= 0).to(_C.int64).cumprod(1)
    chosen = listed.clamp(min=0)
    right = (chosen * 0).scatter_add(1, chosen, counted)
    gaps = 1 - x.gather(1, chosen).unsqueeze(2) + x.unsqueeze(1)
    pairs = (counted.unsqueeze(2) * (right == 0).to(_C.int64).unsqueeze(1)).to(x.dtype)
    losses = (gaps.relu() * pairs).sum((1, 2)) / classes
    return _reduced(losses if input.dim() == 2 else losses.squeeze(0), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None,
                                reduction="mean"):
    """The mean over classes of the logistic loss of each: any number of them can be right.

    >>> F.multilabel_soft_margin_loss(torch.tensor([[2.0, -1.0]]), torch.tensor([[1.0, 0.0]]))
    """
    reduction = _reduction(size_average, reduce, reduction)
    losses = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return _reduced(losses.sum(-1) / input.shape[-1], reduction)


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None,
                                      margin=1.0, swap=False, reduction="mean"):
    """Small where an anchor is nearer to its positive than to its negative, by any distance.

    >>> a, p, n = torch.zeros(1, 2), torch.zeros(1, 2), torch.ones(1, 2)
    >>> F.triplet_margin_with_distance_loss(a, p, n, margin=2.0)
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and "
            f"negative {negative.dim()}D inputs"
        )
    distance = F.pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _C.minimum(far, distance(positive, negative))
    return _reduced((margin + near - far).clamp(min=0), reduction)


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` splits its work in PyTorch; here it changes nothing.

    >>> nn.LinearCrossEntropyOptions(batch_chunk_size=8).batch_chunk_size
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int = None
    chunking_method: str = "auto"
    acc_policy: str = "auto"
    acc_dtype: object = None

    def __post_init__(self):
        if self.acc_policy not in ("auto", "accurate", "compact"):
            raise ValueError(
                f"invalid acc_policy: {self.acc_policy!r}; expected one of 'auto', 'accurate', "
                "'compact'"
            )
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = self.chunking_method.partition(":")
            counted = not colon or factor.isdigit() and int(factor) > 0
            if name != "aspect_ratio" or not counted:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None,
                         reduction="mean", ignore_index=None, label_smoothing=0.0, options=None):
    """`cross_entropy` of what a linear layer gives.

    >>> F.linear_cross_entropy(torch.ones(2, 3), torch.eye(4, 3), torch.tensor([0, 3]))
    """
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}"
        )
    *batch, features = input.shape
    classes, *more, in_features = linear_weight.shape
    if features != in_features:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{features} and {in_features}, respectively"
        )
    if linear_bias is not None and tuple(linear_bias.shape) != (classes, *more):
        raise RuntimeError(
            f"expected linear_bias shape {(classes, *more)}, got {tuple(linear_bias.shape)}"
        )
    if more and not batch:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} "
            f"requires batched input, (N, {features}), got unbatched input with shape "
            f"{tuple(input.shape)}"
        )
    shape = (*batch, classes, *more)
    if ignore_index is not None and tuple(target.shape) == shape:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = F.linear(input, linear_weight.reshape(-1, in_features), bias).reshape(shape)
    return F.cross_entropy(
        logits, target, weight=weight, reduction=reduction, label_smoothing=label_smoothing,
        ignore_index=-100 if ignore_index is None else ignore_index,
    )


class MultiLabelMarginLoss(_Loss):
    """How far other classes come near the right ones, which -1 ends, within a margin of 1.

    >>> nn.MultiLabelMarginLoss()(torch.tensor([0.1, 0.2, 0.8]), torch.tensor([2, -1, 0]))
    """

    def forward(self, input, target):
        return multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of the logistic loss of each: any number of them can be right.

    >>> nn.MultiLabelSoftMarginLoss()(torch.tensor([[2.0, -1.0]]), torch.tensor([[1.0, 0.0]]))
    """

    def forward(self, input, target):
        return multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """`NLLLoss` under its older name.

    >>> nn.NLLLoss2d()(torch.zeros(1, 2, 1, 1), torch.zeros(1, 1, 1, dtype=torch.int64))
    """

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None,
                 reduction="mean"):
        from warnings import warn

        warn("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in "
             "replacement and see https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more "
             "details.", FutureWarning, stacklevel=2)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """Small where an anchor is nearer to its positive than to its negative, by any distance.

    >>> far = nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(1))
    >>> far(torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2))
    """

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got "
                f"{margin} instead"
            )
        self.distance_function = (
            PairwiseDistance() if distance_function is None else distance_function
        )
        self.margin, self.swap = margin, swap

    def forward(self, anchor, positive, negative):
        return triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function,
            margin=self.margin, swap=self.swap, reduction=self.reduction,
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """A linear layer and the cross-entropy of what it gives.

    >>> nn.LinearCrossEntropyLoss(3, 4)(torch.randn(2, 3), torch.tensor([0, 3])).shape
    """

    def __init__(self, in_features, num_classes, *, out_features=(), bias=False, device=None,
                 dtype=None, reduction="mean", weight=None, ignore_index=None,
                 label_smoothing=0.0, options=None):
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(
                f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}"
            )
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(
                f"expected label_smoothing to be in range [0, 1], got {label_smoothing}"
            )
        super().__init__(weight, reduction=reduction)
        self.num_classes, self.out_features = num_classes, out_features
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        size = num_classes * math.prod(out_features)
        self.linear = Linear(in_features, size, bias, device, dtype)
        self.options = options

    def forward(self, input, target):
        shape, bias = (self.num_classes, *self.out_features), self.linear.bias
        return linear_cross_entropy(
            input, self.linear.weight.reshape(*shape, self.linear.in_features), target,
            linear_bias=None if bias is None else bias.reshape(shape), weight=self.weight,
            reduction=self.reduction, ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing, options=self.options,
        )

    def extra_repr(self):
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )


class SoftMarginLoss(_Loss):
    """log(1 + exp(−y x)), with targets of 1 or -1.

    >>> nn.SoftMarginLoss()(torch.tensor([2.0, -1.0]), torch.tensor([1.0, 1.0]))
    """

    def forward(self, input, target):
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class PoissonNLLLoss(_Loss):
    """The negative log-likelihood of counts under Poisson distributions.

    >>> nn.PoissonNLLLoss()(torch.tensor([0.5]), torch.tensor([2.0]))
    """

    def __init__(self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                 reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input, target):
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """The negative log-likelihood of targets under normal distributions.

    >>> nn.GaussianNLLLoss()(torch.zeros(2), torch.ones(2), torch.ones(2))
    """

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input, target, var):
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


class CosineEmbeddingLoss(_Loss):
    """Small where vectors with target 1 point the same way and those with -1 do not.

    >>> nn.CosineEmbeddingLoss()(torch.ones(1, 3), torch.ones(1, 3), torch.tensor([1.0]))
    """

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return F.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class MarginRankingLoss(_Loss):
    """Small where the first input exceeds the second by a margin (1), or the second the first (-1).

    >>> nn.MarginRankingLoss()(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    """

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return F.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """A distance where the target is 1, what it lacks to the margin where it is -1.

    >>> nn.HingeEmbeddingLoss()(torch.tensor([0.3, 0.3]), torch.tensor([1.0, -1.0]))
    """

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input, target):
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """Small where an anchor is nearer to its positive than to its negative, by a margin.

    >>> nn.TripletMarginLoss()(torch.zeros(1, 2), torch.zeros(1, 2), torch.ones(1, 2))
    """

    def __init__(self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None,
                 reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps,
            swap=self.swap, reduction=self.reduction,
        )


class MultiMarginLoss(_WeightedLoss):
    """How far other classes come near the right one, within a margin.

    >>> nn.MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.9]]), torch.tensor([2]))
    """

    def __init__(self, p=1, margin=1.0, weight=None, size_average=None, reduce=None,
                 reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                "MultiMarginLoss: expected weight to be None or 1D tensor, got "
                f"{weight.dim()}D instead"
            )
        self.p, self.margin = p, margin

    def forward(self, input, target):
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight,
            reduction=self.reduction,
        )
