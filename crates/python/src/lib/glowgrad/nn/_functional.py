"""What `torch.nn.functional` does before an op runs: which op a call means, sizes from words and
factors, running statistics, random masks. The ops themselves are the engine's."""

import math as _math

import _glowgrad as _C
from glowgrad.autograd import no_grad as _no_grad


def _each(value, n):
    """One number for each of `n` dimensions."""
    return tuple(value) if hasattr(value, "__iter__") else (value,) * n


def _warn(text):
    from warnings import warn

    warn(text, stacklevel=4)


# Convolutions


def _padding(padding, weight, stride, dilation):
    """`padding` as numbers: first all in front, then all behind, where the two differ."""
    if not isinstance(padding, str):
        return padding
    n = weight.dim() - 2
    if padding == "valid":
        return 0
    if padding != "same":
        raise RuntimeError(
            f"conv{n}d: Invalid padding string: {padding!r}; expected 'valid' or 'same'"
        )
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


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode=False, return_indices=False):
    """The largest element of each window of signals, and where each one is.

    >>> F.max_pool1d_with_indices(torch.ones(1, 1, 4), 2)[1].shape
    """
    return _C.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode=False, return_indices=False):
    """The largest element of each window of images, and where each one is.

    >>> F.max_pool2d_with_indices(torch.ones(1, 1, 4, 4), 2)[1].shape
    """
    return _C.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode=False, return_indices=False):
    """The largest element of each window of volumes, and where each one is.

    >>> F.max_pool3d_with_indices(torch.ones(1, 1, 4, 4, 4), 2)[1].shape
    """
    return _C.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


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


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """The largest element of each part of signals, and where each one is.

    >>> F.adaptive_max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 4.0]]), 2)
    """
    return _C.adaptive_max_pool1d_with_indices(input, _open(output_size))


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """The largest element of each part of images, and where each one is.

    >>> F.adaptive_max_pool2d_with_indices(torch.ones(1, 4, 4), 2)[1]
    """
    return _C.adaptive_max_pool2d_with_indices(input, _open(output_size))


def pad(input, pad, mode="constant", value=None):
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return _C.pad(input, pad, mode, value)


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
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    for name, statistics in (("running_mean", running_mean), ("running_var", running_var)):
        if statistics is not None and input.dim() > 1 and statistics.numel() != input.shape[1]:
            raise RuntimeError(
                f"batch_norm: {name} should contain {input.shape[1]} elements not "
                f"{statistics.numel()}"
            )
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
    if input.dim() < 2:
        raise RuntimeError(
            f"group_norm: Expected at least 2 dimensions for input tensor but received "
            f"{input.dim()}, of shape {list(input.shape)}"
        )
    sizes = [input.shape[0] * input.shape[1] // num_groups, num_groups, *input.shape[2:]]
    if _math.prod(sizes) == num_groups:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {sizes}"
        )
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


def _channels(input):
    """The shape of a mask of whole channels."""
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return tuple(input.shape[:2]) + (1,) * (input.dim() - 2)


def _dropped_channels(input, p, training, inplace, n):
    """Whole channels, of inputs with `n` spatial dimensions."""
    batched = input.dim() == n + 2
    x = input if batched else input.unsqueeze(0)
    y = _dropped(x, _channels(x), p, training)
    return _written(input, y if batched else y.squeeze(0), inplace)


_UNLIKE = (
    "{0}: Received a {1}-D input to {0}, which is deprecated and will result in an error in a "
    "future release. To retain the behavior and silence this warning, please use dropout instead. "
    "Note that {0} exists to provide channel-wise dropout on inputs with {2} spatial dimensions, a "
    "channel dimension, and an optional batch dimension (i.e. {3}D or {4}D inputs)."
)


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
    if input.dim() not in (3, 4):
        _warn(_UNLIKE.format("dropout2d", input.dim(), 2, 3, 4))
    if input.dim() == 3:
        _warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D "
              "dropout behavior is desired - input is interpreted as shape (N, C, L), where C is "
              "the channel dim. This behavior will change in a future release to interpret the "
              "input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
              "channel-wise dropout behavior, please switch to using dropout1d instead.")
    return _written(input, _dropped(input, _channels(input), p, training), inplace)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Sets whole channels of volumes to 0 with probability p while training.

    >>> F.dropout3d(torch.ones(2, 3, 4, 4, 4), training=False).shape
    """
    if input.dim() not in (4, 5):
        _warn(_UNLIKE.format("dropout3d", input.dim(), 3, 4, 5))
    return _dropped_channels(input, p, training, inplace, 3)


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


# Along a dimension


def _along(name, dim, n):
    """The dimension, which PyTorch chose by the number of dimensions when it was left out."""
    if dim is not None:
        return dim
    _warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
          "dim=X as an argument.")
    return 0 if n in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    return _C.softmax(input, _along("softmax", dim, input.dim()), dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    return _C.softmin(input, _along("softmin", dim, input.dim()))


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return _C.log_softmax(input, _along("log_softmax", dim, input.dim()), dtype=dtype)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    y = _C.normalize(input, p, dim, eps)
    return y if out is None else _C.write_out("normalize", out, y, False)


def tanhshrink(input):
    """x − tanh(x) of each element.

    >>> F.tanhshrink(torch.tensor([-1.0, 0.0, 1.0]))
    """
    return input - input.tanh()


# Embeddings


def _renormed(weight, input, max_norm, norm_type):
    """Shortens the rows that are longer than `max_norm`, in the table itself."""
    with _no_grad():
        chosen = input.reshape(-1).to(_C.int64)
        rows = weight.detach().index_select(0, chosen)
        norms = _C.norm(rows, norm_type, 1, True)
        weight.index_copy_(
            0, chosen, _C.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)
        )


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0,
              scale_grad_by_freq=False, sparse=False):
    if padding_idx is not None and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise AssertionError("Padding_idx must be within num_embeddings")
    if max_norm is not None:
        _renormed(weight, input, max_norm, norm_type)
    return _C.embedding(input, weight, padding_idx, scale_grad_by_freq)
