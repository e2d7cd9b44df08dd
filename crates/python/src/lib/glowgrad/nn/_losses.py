"""`torch.nn.functional`'s losses: older names of reductions, weights, and PyTorch's checks."""

import math as _math

import _glowgrad as _C


def _reduced(losses, reduction):
    if reduction == "none":
        return losses
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    raise ValueError(f"{reduction} is not a valid value for reduction")


def _reduction(size_average, reduce, reduction):
    """A reduction, which older programs spell otherwise."""
    if size_average is None and reduce is None:
        return reduction
    word = "none" if reduce is False else "sum" if size_average is False else "mean"
    from warnings import warn

    warn("size_average and reduce args will be deprecated, please use "
         f"reduction='{word}' instead.", stacklevel=3)
    return word


def _as_large(input, target):
    """Warns where sizes differ: what then is compared is seldom meant."""
    if target.shape != input.shape:
        from warnings import warn

        warn(f"Using a target size ({target.shape}) that is different to the input size "
             f"({input.shape}). This will likely lead to incorrect results due to broadcasting. "
             "Please ensure they have the same size.", stacklevel=3)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
                  reduction="mean", label_smoothing=0.0):
    reduction = _reduction(size_average, reduce, reduction)
    if not isinstance(target, _C.TensorBase):
        raise TypeError(
            "cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not "
            f"{type(target).__name__}"
        )
    if target.is_floating_point() and target.shape == input.shape:
        return _C.soft_cross_entropy(input, target, weight, reduction, label_smoothing)
    return _C.cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
             reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    return _C.nll_loss(input, target, weight, reduction, ignore_index)


def _weighted(losses, input, weight, reduction, mean_of_weights=True):
    """Losses of elements, weighted; a mean is over the weights, or over the elements."""
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(
            f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'."
        )
    losses = losses * weight
    if reduction == "mean" and mean_of_weights:
        return losses.sum() / weight.sum()
    return _reduced(losses, reduction)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    _as_large(input, target)
    reduction = _reduction(size_average, reduce, reduction)
    if weight is not None:
        return _weighted(_C.mse_loss(input, target, "none"), input, weight, reduction)
    return _C.mse_loss(input, target, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    _as_large(input, target)
    reduction = _reduction(size_average, reduce, reduction)
    if weight is not None:
        return _weighted(_C.l1_loss(input, target, "none"), input, weight, reduction)
    return _C.l1_loss(input, target, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    _as_large(input, target)
    reduction = _reduction(size_average, reduce, reduction)
    if beta == 0.0:
        return _C.l1_loss(input, target, reduction)
    return _C.smooth_l1_loss(input, target, reduction, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    _as_large(input, target)
    if weight is not None:
        losses = _C.huber_loss(input, target, "none", delta)
        return _weighted(losses, input, weight, reduction, mean_of_weights=False)
    return _C.huber_loss(input, target, reduction, delta)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None,
                         reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    if not target.is_floating_point():
        raise RuntimeError(
            f"binary_cross_entropy: Found dtype {target.dtype.scalar_name} but expected Float; "
            "convert the target with .float()"
        )
    if not _C.is_capturing() and not _C.quietly(lambda: ((input >= 0) & (input <= 1)).all().item()):
        raise RuntimeError(
            "binary_cross_entropy: all elements of input should be between 0 and 1; apply sigmoid "
            "first, or use binary_cross_entropy_with_logits"
        )
    return _C.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None,
                                     reduction="mean", pos_weight=None):
    reduction = _reduction(size_average, reduce, reduction)
    if weight is None and pos_weight is None:
        return _C.binary_cross_entropy_with_logits(input, target, reduction)
    one = input.new_ones(())
    return _C.binary_cross_entropy_with_logits_weighted(
        input, target, one if weight is None else weight,
        one if pos_weight is None else pos_weight, reduction,
    )


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if reduction == "mean" and size_average is None and reduce is None:
        from warnings import warn

        warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
             "'batchmean' divides only by the batch size, and aligns with the KL div math "
             "definition.'mean' will be changed to behave the same as 'batchmean' in the next "
             "major release.", stacklevel=2)
    reduction = _reduction(size_average, reduce, reduction)
    return _C.kl_div(input, target, reduction, log_target)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _C.soft_margin_loss(input, target, _reduction(size_average, reduce, reduction))


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8,
                     reduce=None, reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    return _C.poisson_nll_loss(input, target, log_input, full, eps, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """The negative log-likelihood of targets under normal distributions.

    >>> F.gaussian_nll_loss(torch.zeros(2), torch.ones(2), torch.ones(2))
    """
    if isinstance(var, float):
        var = input.new_full(input.shape, var)
    if not _C.is_capturing() and _C.quietly(lambda: (var.detach() < 0).any().item()):
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape and input.shape[:-1] == var.shape:
        var = var.unsqueeze(-1)
    elif var.shape != input.shape:
        unlike = [b for a, b in zip(input.shape, var.shape) if a != b]
        if input.dim() != var.dim() or sum(unlike) != 1:
            raise ValueError("var is of incorrect size")
    # The bound is not on the tape.
    raised = var.detach().clamp(min=eps)
    var = var + (raised - var.detach())
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * _math.log(2 * _math.pi)
    return _reduced(losses, reduction)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None,
                          reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    return _C.cosine_embedding_loss(input1, input2, target, margin, reduction)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False,
                        size_average=None, reduce=None, reduction="mean"):
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    reduction = _reduction(size_average, reduce, reduction)
    return _C.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None,
                        reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    return _C.margin_ranking_loss(input1, input2, target, margin, reduction)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None,
                         reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    return _C.hinge_embedding_loss(input, target, margin, reduction)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None,
                      reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _C.multi_margin_loss(input, target, p, margin, weight, reduction)
