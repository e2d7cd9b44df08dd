"""What `torch.nn.functional` does before an op runs: which op a call means, sizes from words and
factors, running statistics, random masks. The ops themselves are the engine's."""

import math as _math

import _glowgrad as _C
from glowgrad.autograd import no_grad as _no_grad


def _each(value, n):
    """One number for each of `n` dimensions."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


def _reduced(losses, reduction):
    if reduction == "none":
        return losses
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    raise ValueError(f"{reduction} is not a valid value for reduction")


def _reduction(size_average, reduce, reduction):
    """PyTorch's older spelling of a reduction."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


# Convolutions


def _padding(padding, weight, stride, dilation):
    """`padding` as numbers: first all in front, then all behind, where the two differ."""
    if not isinstance(padding, str):
        return padding
    n = weight.dim() - 2
    if padding == "valid":
        return 0
    if padding != "same":
        raise RuntimeError(f"conv{n}d: Invalid padding string: {padding!r}; expected 'valid' or 'same'")
    if any(step != 1 for step in _each(stride, n)):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(_each(dilation, n), weight.shape[2:])]
    return [t // 2 for t in total] + [t - t // 2 for t in total]


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    padding = _padding(padding, weight, stride, dilation)
    return _C.conv1d(input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    padding = _padding(padding, weight, stride, dilation)
    return _C.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    padding = _padding(padding, weight, stride, dilation)
    return _C.conv3d(input, weight, bias, stride, padding, dilation, groups)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The blocks of an image, as columns.

    >>> F.unfold(torch.ones(1, 1, 3, 3), 2).shape
    """
    return _C.im2col(input, kernel_size, dilation, padding, stride)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns, laid out and added up as the blocks of an image.

    >>> F.fold(torch.ones(1, 4, 4), (3, 3), 2)
    """
    return _C.col2im(input, output_size, kernel_size, dilation, padding, stride)


def bilinear(input1, input2, weight, bias=None):
    """y[o] = x₁ᵀ W[o] x₂ + b[o]

    >>> F.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(4, 2, 3))
    """
    left = input1.unsqueeze(-2).unsqueeze(-2) @ weight
    y = (left @ input2.unsqueeze(-2).unsqueeze(-1)).squeeze(-1).squeeze(-1)
    return y if bias is None else y + bias


# Pools


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
               return_indices=False):
    pool = _C.max_pool1d_with_indices if return_indices else _C.max_pool1d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
               return_indices=False):
    pool = _C.max_pool2d_with_indices if return_indices else _C.max_pool2d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
               return_indices=False):
    pool = _C.max_pool3d_with_indices if return_indices else _C.max_pool3d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def _open(size):
    """Sizes in which None, which keeps the input's, is −1."""
    for n in size if isinstance(size, (tuple, list)) else [size]:
        if n is not None and n < 0:
            raise RuntimeError(
                "adaptive_pool: elements of output_size must be greater than or equal to 0 but "
                f"received {n}"
            )
    if isinstance(size, (tuple, list)):
        return [-1 if n is None else n for n in size]
    return -1 if size is None else size


def adaptive_avg_pool1d(input, output_size):
    return _C.adaptive_avg_pool1d(input, _open(output_size))


def adaptive_avg_pool2d(input, output_size):
    return _C.adaptive_avg_pool2d(input, _open(output_size))


def adaptive_max_pool1d(input, output_size, return_indices=False):
    pool = _C.adaptive_max_pool1d_with_indices if return_indices else _C.adaptive_max_pool1d
    return pool(input, _open(output_size))


def adaptive_max_pool2d(input, output_size, return_indices=False):
    pool = _C.adaptive_max_pool2d_with_indices if return_indices else _C.adaptive_max_pool2d
    return pool(input, _open(output_size))


_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "area")


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    """Images in another size, by the nearest elements or between them.

    >>> F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2).shape
    """
    if mode not in _MODES:
        raise NotImplementedError(
            f"interpolate: mode {mode!r} is not supported; expected one of {', '.join(_MODES)}"
        )
    if antialias:
        raise NotImplementedError("interpolate: antialias=True is not supported; leave it out")
    if align_corners is not None and not mode.endswith("linear"):
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: "
            "linear | bilinear | trilinear"
        )
    n = input.dim() - 2
    if n < 1:
        raise RuntimeError(
            f"interpolate: expected an input of 3 to 5 dimensions [N, C, …], got {input.dim()}D"
        )
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    factors = None
    if size is None:
        factors = _each(scale_factor, n)
        if len(factors) != n:
            raise ValueError(
                "Input and scale_factor must have the same number of spatial dimensions, but got "
                f"input with spatial dimensions of {list(input.shape[2:])} and scale_factor of "
                f"shape {scale_factor}"
            )
        size = [_math.floor(float(old) * factor) for old, factor in zip(input.shape[2:], factors)]
        if recompute_scale_factor or mode == "area":
            factors = None
    else:
        if recompute_scale_factor:
            raise ValueError(
                "recompute_scale_factor is not meaningful with an explicit size."
            )
        size = list(_each(size, n))
        if len(size) != n:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input "
                f"with spatial dimensions of {list(input.shape[2:])} and output size of {size}"
            )
    if mode == "area":
        if n > 2:
            raise NotImplementedError(
                f"interpolate: mode 'area' takes 3D or 4D input, got {input.dim()}D"
            )
        return (adaptive_avg_pool1d if n == 1 else adaptive_avg_pool2d)(input, size)
    given = [float(factor) for factor in reversed(factors)] if factors is not None else []
    return _C.upsample(input, size, mode, bool(align_corners), *given)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """`interpolate` under its older name.

    >>> F.upsample(torch.ones(1, 1, 2, 2), scale_factor=2).shape
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


# Normalisation


def _affine(input, weight, bias):
    """Weight and bias as far as they are given; a bias alone gets a weight of ones."""
    if bias is None:
        return () if weight is None else (weight,)
    if weight is None:
        with _no_grad():
            weight = bias.detach() * 0 + 1
    return (weight, bias)


def _update(running_mean, running_var, mean, var, momentum):
    """running ← (1 − momentum) · running + momentum · new"""
    running_mean.mul_(1 - momentum).add_(mean.to(running_mean.dtype) * momentum)
    running_var.mul_(1 - momentum).add_(var.to(running_var.dtype) * momentum)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False,
               momentum=0.1, eps=1e-5):
    affine = _affine(input, weight, bias)
    if not training:
        if running_mean is None or running_var is None:
            missing = "running_mean" if running_mean is None else "running_var"
            raise RuntimeError(f"{missing} must be defined in evaluation mode")
        return _C.batch_norm_eval(input, running_mean, running_var, *affine, eps=eps)
    y = _C.batch_norm(input, *affine, eps=eps)
    if running_mean is not None:
        with _no_grad():
            others = [d for d in range(input.dim()) if d != 1]
            x = input.detach()
            _update(running_mean, running_var, x.mean(others), x.var(others), momentum)
    return y


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None,
                  use_input_stats=True, momentum=0.1, eps=1e-5):
    affine = _affine(input, weight, bias)
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                "Expected running_mean and running_var to be defined when use_input_stats is false"
            )
        return _C.batch_norm_eval(input, running_mean, running_var, *affine, eps=eps)
    y = _C.instance_norm(input, *affine, eps=eps)
    if running_mean is not None:
        with _no_grad():
            space = list(range(2, input.dim()))
            x = input.detach()
            mean, var = x.mean(space).mean(0), x.var(space).mean(0)
            _update(running_mean, running_var, mean, var, momentum)
    return y


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    return _C.group_norm(input, num_groups, *_affine(input, weight, bias), eps=eps)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return _C.layer_norm(input, normalized_shape, *_affine(input, weight, bias), eps=eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    return _C.rms_norm(input, normalized_shape, weight, eps)


# Random masks


def _keep(shape, p, like):
    """1 / (1 − p) with probability 1 − p, else 0: drawn as PyTorch's CPU draws.

    A mask for each element of `like` is drawn in the order in which those lie in memory.
    """
    order = range(len(shape))
    if tuple(like.shape) == shape and not like.is_contiguous():
        strides = like.stride()
        order = sorted(order, key=lambda d: -strides[d])
    with like.device:
        keep = _C.keep([shape[d] for d in order], 1.0 - p, like.dtype) / (1.0 - p)
    if list(order) == sorted(order):
        return keep
    return keep.permute([order.index(d) for d in range(len(shape))])


def _dropped(input, shape, p, training):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0 or input.numel() == 0:
        return input
    if p == 1.0:
        return input * 0.0
    return input * _keep(shape, p, input)


def _written(input, y, inplace):
    return input.copy_(y) if inplace and y is not input else y


def dropout(input, p=0.5, training=True, inplace=False):
    """Sets elements to 0 with probability p while training, and scales the rest up.

    >>> F.dropout(torch.ones(4), p=0.5, training=False)
    """
    return _written(input, _dropped(input, tuple(input.shape), p, training), inplace)


def _dropped_channels(input, p, training, inplace, n):
    """Whole channels, of inputs with `n` spatial dimensions."""
    batched = input.dim() == n + 2
    x = input if batched else input.unsqueeze(0)
    shape = tuple(x.shape[:2]) + (1,) * (x.dim() - 2)
    y = _dropped(x, shape, p, training)
    return _written(input, y if batched else y.squeeze(0), inplace)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Sets whole channels of signals to 0 with probability p while training.

    >>> F.dropout1d(torch.ones(2, 3, 4), training=False).shape
    """
    if input.dim() not in (2, 3):
        raise RuntimeError(
            "dropout1d: Expected 2D or 3D input, but received a "
            f"{input.dim()}D input. Note that dropout1d exists to provide channel-wise dropout "
            "on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    return _dropped_channels(input, p, training, inplace, 1)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Sets whole channels of images to 0 with probability p while training.

    >>> F.dropout2d(torch.ones(2, 3, 4, 4), training=False).shape
    """
    shape = tuple(input.shape[:2]) + (1,) * (input.dim() - 2)
    return _written(input, _dropped(input, shape, p, training), inplace)


# Attention


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0,
                                 is_causal=False, scale=None, enable_gqa=False):
    if dropout_p == 0.0:
        return _C.scaled_dot_product_attention(
            query, key, value, attn_mask, 0.0, is_causal, scale, enable_gqa
        )
    if is_causal and attn_mask is not None:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True"
        )
    if enable_gqa:
        shared = query.shape[-3] // key.shape[-3]
        key, value = (x.repeat_interleave(shared, -3) for x in (key, value))
    scale = 1 / _math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        ones = query.new_ones(query.shape[-2], key.shape[-2])
        attn_mask = _C.tril(ones).to(_C.bool)
    if attn_mask is not None and attn_mask.dtype == _C.bool:
        scores = scores.masked_fill(_C.logical_not(attn_mask), -_math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return dropout(_C.softmax(scores, -1), dropout_p) @ value


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    if dim is None:
        dim = 0 if input.dim() in (0, 1, 3) else 1
    return _C.softmin(input, dim)


# Embeddings


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0,
              scale_grad_by_freq=False, sparse=False):
    if max_norm is not None:
        with _no_grad():
            for row in set(input.reshape(-1).tolist()):
                norm = weight[row].norm(norm_type)
                if norm > max_norm:
                    weight[row] *= max_norm / (norm + 1e-7)
    return _C.embedding(input, weight, padding_idx, scale_grad_by_freq)


# Losses


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


def _weighted(losses, weight, reduction):
    """Losses of elements, weighted; a mean is over the weights."""
    losses = losses * weight
    if reduction != "mean":
        return _reduced(losses, reduction)
    return losses.sum() / weight.expand(losses.shape).sum()


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    reduction = _reduction(size_average, reduce, reduction)
    if weight is not None:
        if weight.shape != input.shape:
            raise ValueError("mse_loss: Weights and input must have the same size.")
        return _weighted(_C.mse_loss(input, target, "none"), weight, reduction)
    return _C.mse_loss(input, target, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    reduction = _reduction(size_average, reduce, reduction)
    if weight is not None:
        return _weighted(_C.l1_loss(input, target, "none"), weight, reduction)
    return _C.l1_loss(input, target, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    reduction = _reduction(size_average, reduce, reduction)
    return _C.smooth_l1_loss(input, target, reduction, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    if weight is not None:
        return _weighted(_C.huber_loss(input, target, "none", delta), weight, reduction)
    return _C.huber_loss(input, target, reduction, delta)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None,
                         reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    if not target.is_floating_point():
        raise RuntimeError(
            f"binary_cross_entropy: Found dtype {target.dtype.scalar_name} but expected Float; "
            "convert the target with .float()"
        )
    if not _C.quietly(lambda: ((input >= 0) & (input <= 1)).all().item()):
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
    reduction = _reduction(size_average, reduce, reduction)
    return _C.kl_div(input, target, reduction, log_target)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _C.soft_margin_loss(input, target, _reduction(size_average, reduce, reduction))


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8,
                     reduce=None, reduction="mean"):
    reduction = _reduction(size_average, reduce, reduction)
    return _C.poisson_nll_loss(input, target, log_input, full, eps, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """The negative log-likelihood of targets under normal distributions with these means and variances.

    >>> F.gaussian_nll_loss(torch.zeros(2), torch.ones(2), torch.ones(2))
    """
    if isinstance(var, float):
        var = input.new_full(input.shape, var)
    if var.shape != input.shape and input.shape[:-1] == var.shape:
        var = var.unsqueeze(-1)
    if (var.detach() < 0).any():
        raise ValueError("var has negative entry/entries")
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
    return _C.multi_margin_loss(input, target, p, margin, weight, reduction)
