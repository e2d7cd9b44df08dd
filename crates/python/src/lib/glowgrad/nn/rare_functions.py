"""Functions of `torch.nn.functional` that few programs call, made of others."""

import math

import _glowgrad as _C
from glowgrad.autograd import no_grad
from glowgrad.nn import functional as F
from glowgrad.nn._functional import _channels, _each, _keep, _warn, _written


def channel_shuffle(input, groups):
    """Channels in another order: the first of each group, then the second of each, and so on.

    >>> F.channel_shuffle(torch.arange(4.0).view(1, 4, 1), 2).flatten()
    """
    if input.dim() < 3:
        raise RuntimeError(
            "channel_shuffle expects input with > 2 dims, but got input with sizes "
            f"{list(input.shape)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    n, channels, *space = input.shape
    if channels % groups != 0:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} "
            "groups."
        )
    x = input.reshape(n, groups, channels // groups, *space)
    return x.transpose(1, 2).reshape(input.shape)


native_channel_shuffle = channel_shuffle


def conv_tbc(input, weight, bias, pad=0):
    """A convolution along time, of inputs and weights in the order [time, batch, channels].

    >>> F.conv_tbc(torch.ones(5, 1, 2), torch.ones(3, 2, 4), torch.zeros(4)).shape
    """
    for name, x, sizes in (("Input", input, 3), ("Weight", weight, 3), ("Bias", bias, 1)):
        if x.dim() != sizes:
            raise RuntimeError(f"{name} must have {sizes} dims, got {x.dim()}")
    y = _C.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, pad)
    return y.permute(2, 0, 1).contiguous()


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                     dilation=1):
    """Each element of a volume spread by a kernel.

    >>> F.conv_transpose3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2)).shape
    """
    if input.dim() not in (4, 5) or weight.dim() != 5:
        raise RuntimeError(
            "Expected 4D (unbatched) or 5D (batched) input to conv_transpose3d, but got input of "
            f"size: {list(input.shape)}"
        )
    if input.dim() == 4:
        x = input.unsqueeze(0)
        return conv_transpose3d(
            x, weight, bias, stride, padding, output_padding, groups, dilation
        ).squeeze(0)
    if input.shape[1] != weight.shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input"
            f"{list(input.shape)} to have {weight.shape[0]} channels, but got {input.shape[1]} "
            "channels instead"
        )
    stride, padding, more, dilation = (
        _each(each, 3) for each in (stride, padding, output_padding, dilation)
    )
    if any(a >= s and a >= d for a, s, d in zip(more, stride, dilation)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got "
            f"output_padding: {more} stride: {stride} dilation: {dilation}"
        )
    # Zeros between the elements, then the kernel turned round.
    x = input
    if stride != (1, 1, 1):
        n, c, d, h, w = input.shape
        x = x.reshape(n, c, d, 1, h, 1, w, 1)
        x = F.pad(x, (0, stride[2] - 1, 0, 0, 0, stride[1] - 1, 0, 0, 0, stride[0] - 1))
        x = x.reshape(n, c, d * stride[0], h * stride[1], w * stride[2])
    sides = []
    for i in (2, 1, 0):
        around = dilation[i] * (weight.shape[2 + i] - 1) - padding[i]
        sides += [around, around + more[i] - (stride[i] - 1)]
    shape = list(weight.shape)
    kernel = weight.flip((2, 3, 4)).reshape(groups, shape[0] // groups, *shape[1:])
    kernel = kernel.transpose(1, 2).reshape(groups * shape[1], shape[0] // groups, *shape[2:])
    return _C.conv3d(F.pad(x, sides), kernel, bias, 1, 0, dilation, groups)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """Each element divided by a power of the mean square of its neighbours in other channels.

    >>> F.local_response_norm(torch.ones(1, 4, 2), 3).shape
    """
    if input.dim() < 3:
        raise ValueError(
            "Expected 3D or higher dimensionality                          input (got "
            f"{input.dim()} dimensions)"
        )
    if input.numel() == 0:
        return input
    squares = (input * input).reshape(input.shape[0], 1, input.shape[1], -1)
    squares = F.pad(squares, (0, 0, size // 2, (size - 1) // 2))
    means = _C.avg_pool2d(squares, (size, 1), 1).reshape(input.shape)
    return input / (means * alpha + k) ** beta


def pdist(input, p=2.0):
    """The distances between all pairs of rows, each pair once.

    >>> F.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    """
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if not input.is_floating_point():
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    rows = input.shape[0]
    if rows < 2:
        return input.new_zeros(0)
    with input.device:
        first, second = _C.triangle_indices(rows, rows, 1, True, None)
    gaps = input[first] - input[second]
    distances = _C.vector_norm(gaps, p, -1)
    # A count has zeros for a gradient.
    return distances + (gaps * 0).sum(-1) if p == 0 else distances


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """Shares of a random draw among logits; with `hard`, the winner, with the shares' gradient.

    >>> F.gumbel_softmax(torch.tensor([0.0, 9.0]), hard=True)
    """
    if eps != 1e-10:
        _warn("`eps` parameter is deprecated and has no effect.")
    if not isinstance(logits, _C.TensorBase):
        raise TypeError(
            "empty_like(): argument 'input' (position 1) must be Tensor, not "
            f"{type(logits).__name__}"
        )
    with logits.device:
        drawn = _C.full(logits.shape, 0.0, logits.dtype, False, "empty")
        zeros = _C.full(logits.shape, 0.0, logits.dtype, False, "zeros")
    gumbels = -drawn.exponential_().log()
    shares = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return shares
    index = shares.detach().argmax(dim, keepdim=True)
    won = zeros.scatter(dim, index, 1.0)
    return won - shares.detach() + shares


def _slopes(input, lower, upper):
    """A slope for each element: 1 where it is positive, else drawn, in their order."""
    with no_grad(), input.device:
        x = input.detach()
        negative = x <= 0
        n = _C.quietly(lambda: negative.sum().item())
        drawn = _C.uniform_(
            _C.full((n,), 0.0, _C.float64, False, "empty"), float(lower), float(upper), None
        ).to(x.dtype)
        ones = _C.full(x.shape, 1.0, x.dtype, False, "ones")
        return ones.masked_scatter(negative, drawn)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """Negative elements times a slope: drawn between two bounds while training, else their middle.

    >>> F.rrelu(torch.tensor([-1.0, 0.0, 1.0]))
    """
    if not lower <= upper:
        raise RuntimeError(
            "Lower bound should be less than or equal to the upper bound, but got "
            f"{lower} and {upper}"
        )
    if training:
        return _written(input, input * _slopes(input, lower, upper), inplace)
    return F.leaky_relu(input, (lower + upper) / 2, inplace)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """`rrelu` over its input.

    >>> F.rrelu_(torch.tensor([-1.0, 0.0, 1.0]))
    """
    return rrelu(input, lower, upper, training, True)


def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    """Several matrix products at once: a batch, or rows in groups that end at `offs`.

    >>> a, b = torch.ones(4, 8), torch.ones(2, 8, 16)
    >>> F.grouped_mm(a, b, offs=torch.tensor([1, 4], dtype=torch.int32)).shape
    """
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    flat = [mat_a.dim() == 2, mat_b.dim() == 2]
    if (offs is None) == any(flat):
        raise RuntimeError("Have to provide offsets for ragged inputs, and for no others")
    if offs is None:
        y = mat_a @ mat_b
    else:
        ends = offs.tolist()
        parts = list(zip([0, *ends[:-1]], ends))
        if all(flat):
            y = _C.stack([mat_a[:, i:j] @ mat_b[i:j] for i, j in parts])
        elif flat[0]:
            y = _C.cat([mat_a[i:j] @ mat_b[g] for g, (i, j) in enumerate(parts)])
        else:
            y = _C.cat([mat_a[g] @ mat_b[:, i:j] for g, (i, j) in enumerate(parts)], 1)
    return y if out_dtype is None else y.to(out_dtype)


def _of_eight_bits(name):
    def refused(*args, **kwargs):
        raise NotImplementedError(
            f"{name} multiplies floats of 4 and 8 bits, which are not here; use `a @ b` in "
            "torch.bfloat16"
        )

    refused.__name__ = refused.__qualname__ = name
    refused.__doc__ = (
        "A product of scaled floats of 4 and 8 bits, which are not here.\n\n"
        f">>> callable(F.{name})\n"
    )
    return refused


scaled_mm = _of_eight_bits("scaled_mm")
scaled_grouped_mm = _of_eight_bits("scaled_grouped_mm")
scaled_addmm = _of_eight_bits("scaled_addmm")
scaled_addmm_ = _of_eight_bits("scaled_addmm_")


def _alpha_dropped(input, shape, p, training):
    """Dropped elements get the least value of SELU; all are scaled to mean 0 and variance 1."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0 or input.numel() == 0:
        return input
    if p == 1.0:
        return input * 0.0
    alpha = 1.7580993408473766
    a = 1.0 / math.sqrt((alpha * alpha * p + 1) * (1 - p))
    kept = (_keep(shape, p, input) != 0).to(input.dtype)
    return input * (kept * a) + ((kept - 1) * (alpha * a) + alpha * a * p)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean 0 and variance 1: for layers with SELU.

    >>> F.alpha_dropout(torch.ones(4), training=False)
    """
    return _written(input, _alpha_dropped(input, tuple(input.shape), p, training), inplace)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """`alpha_dropout` of whole channels.

    >>> F.feature_alpha_dropout(torch.ones(2, 3, 4), training=False).shape
    """
    return _written(input, _alpha_dropped(input, _channels(input), p, training), inplace)


# Attention


def bilinear(input1, input2, weight, bias=None):
    """y[o] = x₁ᵀ W[o] x₂ + b[o]

    >>> F.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(4, 2, 3))
    """
    left = input1.unsqueeze(-2).unsqueeze(-2) @ weight
    y = (left @ input2.unsqueeze(-2).unsqueeze(-1)).squeeze(-1).squeeze(-1)
    return y if bias is None else y + bias
