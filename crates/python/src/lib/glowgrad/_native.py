"""Functions of `torch` on which PyTorch's layers rest: they give what backward needs too."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._compose import _ruled, _takes
from glowgrad.nn import functional as F


def _quiet(function):
    """What a function gives, without gradients and without nodes."""

    def run():
        before = _C.set_grad_enabled(False)
        try:
            return function()
        finally:
            _C.set_grad_enabled(before)

    return _C.quietly(run)


def _moments(input, dims, keepdim, eps=None):
    """The mean over dimensions, and the variance, or the inverse of the standard deviation."""
    mean = input.mean(dims, keepdim)
    variance = input.var(dims, unbiased=False, keepdim=keepdim)
    return mean, variance if eps is None else (variance + eps).rsqrt()


@_takes("input")
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """What `F.batch_norm` gives, with the mean and the inverse of the standard deviation.

    >>> torch.native_batch_norm(torch.ones(2, 1), None, None, None, None, True, 0.1, 1e-5)[1]
    """
    dims = [d for d in range(input.ndim) if d != 1]
    if training:
        saved = _quiet(lambda: _moments(input, dims, False, eps))
    else:
        saved = _C.full((0,), 0, input.dtype, False), _C.full((0,), 0, input.dtype, False)
    out = F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    return out, *saved


@_takes("input", "running_mean", "running_var")
def batch_norm_update_stats(input, running_mean, running_var, momentum):
    """The mean and the variance of a batch, which move the running ones.

    >>> torch.batch_norm_update_stats(torch.ones(2, 1), torch.zeros(1), torch.ones(1), 0.5)
    """

    def compute():
        dims = [d for d in range(input.ndim) if d != 1]
        mean, variance = _moments(input, dims, False)
        n = input.numel() // input.shape[1]
        running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
        running_var.mul_(1 - momentum).add_(variance * (n / (n - 1)), alpha=momentum)
        return mean, variance

    return _quiet(compute)


@_takes("input")
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """What `F.layer_norm` gives, with the mean and the inverse of the standard deviation.

    >>> torch.native_layer_norm(torch.tensor([[1.0, 3.0]]), [2], None, None, 1e-5)
    """
    dims = list(range(-len(normalized_shape), 0))
    saved = _quiet(lambda: _moments(input, dims, True, eps))
    return F.layer_norm(input, list(normalized_shape), weight, bias, eps), *saved


@_takes("input")
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """What `F.group_norm` gives, with the mean and the inverse of the standard deviation.

    >>> torch.native_group_norm(torch.ones(1, 2, 3), None, None, 1, 2, 3, 1, 1e-5)[1]
    """
    saved = _quiet(lambda: _moments(input.reshape(N, group, -1), [2], False, eps))
    return F.group_norm(input, group, weight, bias, eps), *saved


@_takes("input")
def native_dropout(input, p, train):
    """What `F.dropout` gives, with a tensor that says which elements are left.

    >>> torch.native_dropout(torch.ones(2), 0.5, False)
    """
    if train is False:
        return input.clone(), _C.full(input.shape, True, _C.bool, False)
    keep = _quiet(lambda: _C.full(input.shape, False, _C.bool, False).bernoulli_(1 - p))
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return _ruled(
        "NativeDropoutBackward0", lambda x: x * keep * scale,
        lambda gradient: [gradient * keep * scale], input,
    ), keep


@_takes("input")
def native_channel_shuffle(input, groups):
    """As `F.channel_shuffle`.

    >>> torch.native_channel_shuffle(torch.arange(4.0).reshape(1, 4, 1, 1), 2).flatten()
    """
    return F.channel_shuffle(input, groups)


@_takes("input", "weight")
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """A convolution over as many dimensions as the input has, or a transposed one.

    >>> x, w = torch.ones(1, 1, 4), torch.ones(1, 1, 2)
    >>> torch.convolution(x, w, None, [1], [0], [1], False, [0], 1)
    """
    n = input.ndim - 2
    stride, padding, dilation = tuple(stride), tuple(padding), tuple(dilation)
    if transposed:
        return getattr(F, f"conv_transpose{n}d")(
            input, weight, bias, stride, padding, tuple(output_padding), groups, dilation
        )
    return getattr(F, f"conv{n}d")(input, weight, bias, stride, padding, dilation, groups)


@_takes("weight", "indices", "offsets")
def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False,
                  per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """What `F.embedding_bag` gives, with the bag of each index, and how large each bag is.

    >>> torch.embedding_bag(torch.eye(2), torch.tensor([0, 1]), torch.tensor([0]))[0]
    """
    words = ("sum", "mean", "max")[mode]
    padding_idx = None if padding_idx is None or padding_idx < 0 else padding_idx
    out = F.embedding_bag(
        indices, weight, offsets, None, 2, scale_grad_by_freq, words, sparse, per_sample_weights,
        include_last_offset, padding_idx,
    )
    if mode == 0:
        zeros = _C.full((len(offsets),), 0, offsets.dtype, False)
        return out, _C.full((0,), 0, offsets.dtype, False), zeros, zeros.clone()
    return out, *_quiet(lambda: _bags(weight, indices, offsets, mode, len(out), padding_idx))


def _bags(weight, indices, offsets, mode, count, padding_idx):
    places = _C.arange(0, len(indices), 1, _C.int64, False)
    bag_of = (places[:, None] >= offsets[None, :count]).sum(1) - 1
    kept = _C.full(indices.shape, True, _C.bool, False)
    if padding_idx is not None:
        kept = indices != padding_idx
    sizes = _C.full((count,), 0, _C.int64, False).index_add(0, bag_of, kept.to(_C.int64))
    if mode == 1:
        return bag_of, sizes, sizes.clone()
    rows = []
    for bag in range(count):
        chosen = indices[(bag_of == bag) & kept]
        rows.append(
            chosen[weight[chosen].argmax(0)] if len(chosen)
            else _C.full((weight.shape[1],), 0, _C.int64, False)
        )
    return bag_of, sizes, _C.stack(rows)


# Numbers as a quantised layer would see them


def _faked(name, input, scale, zero_point, quant_min, quant_max):
    if quant_min > quant_max:
        raise RuntimeError(
            "`quant_min` should be less than or         equal to `quant_max`."
        )

    def places():
        return (input * (1.0 / scale)).round() + zero_point

    def value(x):
        return (places().clamp(quant_min, quant_max) - zero_point) * scale

    def rule(gradient):
        level = _quiet(places)
        return [gradient * ((level >= quant_min) & (level <= quant_max)).to(gradient.dtype)]

    return _ruled(name, value, rule, input)


@_takes("input")
def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    """Numbers rounded to those that integers of a range would stand for, times a scale.

    >>> torch.fake_quantize_per_tensor_affine(torch.tensor([0.12, 9.0]), 0.1, 0, 0, 10)
    """
    tensors = isinstance(scale, TensorBase)
    if not tensors and quant_min <= quant_max and not quant_min <= zero_point <= quant_max:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    words = "TensorQparams" if tensors else ""
    name = f"FakeQuantizePerTensorAffineCachemask{words}Backward0"
    return _faked(name, input, scale, zero_point, quant_min, quant_max)


@_takes("input", "scale", "zero_point")
def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """As `fake_quantize_per_tensor_affine`, with a scale for each place of a dimension.

    >>> x, scale, zero = torch.ones(2, 2), torch.tensor([0.3, 0.4]), torch.tensor([0, 0]).int()
    >>> torch.fake_quantize_per_channel_affine(x, scale, zero, 0, 0, 10)
    """
    names = {"int64": "Long", "int16": "Short", "uint8": "Byte", "float64": "Double"}
    if zero_point.dtype.name in names:
        raise RuntimeError(
            f"Zero-point must be Int32, Float or Half, found {names[zero_point.dtype.name]}"
        )
    if scale.shape != zero_point.shape or len(scale) != input.shape[axis]:
        raise RuntimeError(
            "dimensions of scale and zero-point are not consistent with input tensor"
        )
    shape = [1] * input.ndim
    shape[axis] = -1
    name = "FakeQuantizePerChannelAffineCachemaskBackward0"
    return _faked(name, input, scale.view(shape), zero_point.view(shape), quant_min, quant_max)
