"""Pools that few programs use: of volumes to a size, by powers, by random windows, and back again.

Functions of `torch.nn.functional` and their modules, made of other ops.
"""

import math

import _glowgrad as _C
from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn._functional import _each
from glowgrad.nn.module import Module
from glowgrad.nn.pooling import _Adaptive, _AdaptiveMax

__all__ = _LATER["rare_pooling"]


# Adaptive pools of volumes: over images first, then along the depth


def _three(name, input, output_size):
    """The wanted sizes; None keeps the input's."""
    sizes = _each(output_size, 3)
    if len(sizes) != 3:
        raise RuntimeError(f"{name}: output_size must be 3")
    sizes = [old if n is None else n for n, old in zip(sizes, input.shape[-3:])]
    if any(n < 0 for n in sizes):
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{sizes}"
        )
    return sizes


def _images(input, sizes):
    """A volume's images as channels, and the way to the pool along the depth and back."""
    *batch, d, h, w = input.shape
    flat = input.reshape(math.prod(batch), d, h, w)

    def along(x):
        return x.reshape(math.prod(batch), d, sizes[1] * sizes[2]).transpose(1, 2)

    def back(x):
        return x.transpose(1, 2).reshape(*batch, *sizes)

    return flat, along, back


def adaptive_avg_pool3d(input, output_size):
    """Means of a volume's parts, in the size that is wanted.

    >>> F.adaptive_avg_pool3d(torch.ones(1, 1, 4, 4, 4), 2).shape
    """
    if input.dim() not in (4, 5):
        raise RuntimeError(
            f"adaptive_avg_pool3d(): Expected 4D or 5D tensor, but got {list(input.shape)}"
        )
    sizes = _three("adaptive_avg_pool3d", input, output_size)
    flat, along, back = _images(input, sizes)
    return back(_C.adaptive_avg_pool1d(along(_C.adaptive_avg_pool2d(flat, sizes[1:])), sizes[0]))


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """The largest element of each part of a volume, and where each one is.

    >>> F.adaptive_max_pool3d_with_indices(torch.ones(1, 1, 2, 2, 2), 1)
    """
    if input.dim() not in (4, 5):
        raise ValueError("Input dimension should be at least 4")
    sizes = _three("adaptive_max_pool3d", input, output_size)
    flat, along, back = _images(input, sizes)
    y, places = _C.adaptive_max_pool2d_with_indices(flat, sizes[1:])
    y, depths = _C.adaptive_max_pool1d_with_indices(along(y), sizes[0])
    area = input.shape[-2] * input.shape[-1]
    return back(y), back(depths * area + along(places).gather(2, depths))


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """The largest element of each part of a volume, in the size that is wanted.

    >>> F.adaptive_max_pool3d(torch.ones(1, 1, 4, 4, 4), 2).shape
    """
    both = adaptive_max_pool3d_with_indices(input, output_size)
    return both if return_indices else both[0]


# Pools of powers


def _lp_pool(n, input, norm_type, kernel_size, stride, ceil_mode):
    if isinstance(norm_type, (int, float)):
        if norm_type == 0:
            raise ValueError(f"norm_type must be a non-zero value, but got {norm_type}")
        if abs(norm_type) == math.inf:
            sign = 1 if norm_type > 0 else -1
            largest = getattr(F, f"max_pool{n}d")(
                input.abs() * sign, kernel_size, stride, 0, 1, ceil_mode
            )
            return largest * sign
    means = getattr(F, f"avg_pool{n}d")(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    count = math.prod(_each(kernel_size, n))
    return (means.sign() * means.abs().relu() * count).pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of signals.

    >>> F.lp_pool1d(torch.tensor([[3.0, 4.0]]), 2, 2)
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of images.

    >>> F.lp_pool2d(torch.ones(1, 4, 4), 2, 2)
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of volumes.

    >>> F.lp_pool3d(torch.ones(1, 2, 2, 2), 2, 2)
    """
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


# Back from the largest elements to where they were


def _unpool(n, input, indices, kernel_size, stride, padding, output_size):
    kernel_size, padding = _each(kernel_size, n), _each(padding, n)
    stride = kernel_size if stride is None else _each(stride, n)
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor "
            f"with {input.dim()} dimensions."
        )
    if indices.dtype is not _C.int64:
        raise RuntimeError(
            f"elements in indices should be type int64 but got: {indices.dtype.scalar_name}"
        )
    if indices.shape != input.shape:
        raise RuntimeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}"
        )
    if any(step <= 0 for step in stride):
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(stride)}")
    sizes = [
        (old - 1) * step + kernel - 2 * border
        for old, step, kernel, border in zip(input.shape[-n:], stride, kernel_size, padding)
    ]
    if output_size is not None:
        wanted = tuple(output_size)
        if len(wanted) == n + 2:
            wanted = wanted[2:]
        if len(wanted) != n:
            raise ValueError(
                f"output_size should be a sequence containing {n} or {n + 2} elements, but it has "
                f"a length of '{len(wanted)}'"
            )
        for d, (size, step, new) in enumerate(zip(sizes, stride, wanted)):
            if not size - step < new < size + step:
                raise ValueError(
                    f'invalid output_size "{wanted}" (dim {d} must be between {size - step} and '
                    f"{size + step})"
                )
        sizes = wanted
    batch, space = input.shape[:-n], math.prod(sizes)
    flat = indices.reshape(*batch, -1)
    if not _C.is_capturing() and flat.numel():
        low, high = _C.quietly(lambda: [each.item() for each in _C.aminmax(flat)])
        if low < 0 or high >= space:
            raise RuntimeError(
                f"Found an invalid max index: {high if low >= 0 else low} (output volumes are of "
                f"size {'x'.join(map(str, sizes))})"
            )
    zeros = input.new_zeros(*batch, space)
    return zeros.scatter(-1, flat, input.reshape(*batch, -1)).reshape(*batch, *sizes)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Elements put back where `max_pool1d` found them, and zeros elsewhere.

    >>> y, places = F.max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 4.0]]), 2, return_indices=True)
    >>> F.max_unpool1d(y, places, 2)
    """
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Elements put back where `max_pool2d` found them, and zeros elsewhere.

    >>> y, places = F.max_pool2d(torch.arange(4.0).view(1, 2, 2), 2, return_indices=True)
    >>> F.max_unpool2d(y, places, 2)
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Elements put back where `max_pool3d` found them, and zeros elsewhere.

    >>> y, places = F.max_pool3d(torch.arange(8.0).view(1, 2, 2, 2), 2, return_indices=True)
    >>> F.max_unpool3d(y, places, 2)
    """
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)


# Random windows


def _starts(samples, size, window, count):
    """Where the windows along one dimension begin: one row for each sample."""
    if count == 0:
        return (samples[..., :0]).to(_C.int64)
    steps = _C.arange(0, count - 1, 1, samples.dtype, False)
    factor = samples.new_full((), size - window) / max(count - 1, 1)
    starts = ((steps + samples) * factor).to(_C.int64) - (samples * factor).to(_C.int64)
    last = _C.full((*samples.shape[:-1], 1), size - window, _C.int64, False, "full")
    return _C.cat([starts, last], -1)


def _fractional(n, input, kernel_size, output_size, output_ratio, samples):
    name = f"fractional_max_pool{n}d"
    if output_size is None:
        if output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        ratios = _each(output_ratio, n)
        output_size = [int(size * ratio) for size, ratio in zip(input.shape[-n:], ratios)]
    if input.dim() not in (n + 1, n + 2):
        raise IndexError(f"{name}: expected a {n + 1}D or {n + 2}D input, got {input.dim()}D")
    windows, counts = _each(kernel_size, n), _each(output_size, n)
    x = input if input.dim() == n + 2 else input.unsqueeze(0)
    batch, channels, *space = x.shape
    for d, (size, window, count) in enumerate(zip(space, windows, counts)):
        if count + window - 1 > size - (n == 3):
            what = ("time", "height", "width")[3 - n + d]
            raise RuntimeError(
                f"{name}(): pool {what} {window} too large relative to input {what} {size}"
            )
    if samples is None:
        with input.device:
            samples = _C.rand((batch, channels, n), input.dtype, False, None)
    if samples.dim() != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.dim()}")
    # Samples are in the order of the dimensions for volumes, and width first for images.
    order = range(n) if n == 3 else reversed(range(n))
    flat = None
    with input.device:
        for d, sample in zip(range(n), order):
            starts = _starts(samples[..., sample:sample + 1], space[d], windows[d], counts[d])
            places = starts.unsqueeze(-1) + _C.arange(0, windows[d], 1, None, False)
            shape = [1] * (2 * n)
            shape[d], shape[n + d] = counts[d], windows[d]
            places = places.reshape(*places.shape[:2], *shape)
            flat = places if flat is None else flat * space[d] + places
    flat = flat.expand(batch, channels, *counts, *windows)
    flat = flat.reshape(batch, channels, math.prod(counts), math.prod(windows))
    shape = (*input.shape[:-n], *counts)
    found = x.reshape(batch, channels, -1).gather(2, flat.flatten(2)).reshape(flat.shape)
    y, chosen = _C.max_dim(found, -1, True)
    return y.reshape(shape), flat.gather(-1, chosen).reshape(shape)


def fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None,
                                       return_indices=False, _random_samples=None):
    """`fractional_max_pool2d`, and where each element is.

    >>> F.fractional_max_pool2d_with_indices(torch.randn(1, 5, 5), 2, output_size=3)[1].shape
    """
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None,
                                       return_indices=False, _random_samples=None):
    """`fractional_max_pool3d`, and where each element is.

    >>> F.fractional_max_pool3d_with_indices(torch.randn(1, 5, 5, 5), 2, output_size=3)[1].shape
    """
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None,
                          return_indices=False, _random_samples=None):
    """The largest element of each window of images; where the windows lie is drawn at random.

    >>> F.fractional_max_pool2d(torch.randn(1, 5, 5), 2, output_size=3).shape
    """
    both = _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return both if return_indices else both[0]


def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None,
                          return_indices=False, _random_samples=None):
    """The largest element of each window of volumes; where the windows lie is drawn at random.

    >>> F.fractional_max_pool3d(torch.randn(1, 5, 5, 5), 2, output_size=3).shape
    """
    both = _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return both if return_indices else both[0]


# Modules


class AdaptiveAvgPool3d(_Adaptive):
    """Means of a volume's parts, in the size that is wanted.

    >>> nn.AdaptiveAvgPool3d(1)(torch.randn(1, 3, 4, 4, 4)).shape
    """

    _function = staticmethod(adaptive_avg_pool3d)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """The largest element of each part of a volume, in the size that is wanted.

    >>> nn.AdaptiveMaxPool3d((1, 2, 2))(torch.randn(1, 3, 4, 4, 4)).shape
    """

    _function = staticmethod(adaptive_max_pool3d)


class _LPPool(Module):
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def forward(self, input):
        return self._function(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )

    def extra_repr(self):
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The p-norm of each window of signals.

    >>> nn.LPPool1d(2, 2)(torch.tensor([[3.0, 4.0]]))
    """

    _function = staticmethod(lp_pool1d)


class LPPool2d(_LPPool):
    """The p-norm of each window of images.

    >>> nn.LPPool2d(2, 2)(torch.ones(1, 4, 4))
    """

    _function = staticmethod(lp_pool2d)


class LPPool3d(_LPPool):
    """The p-norm of each window of volumes.

    >>> nn.LPPool3d(2, 2)(torch.ones(1, 2, 2, 2))
    """

    _function = staticmethod(lp_pool3d)


class _MaxUnpool(Module):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = _each(kernel_size, self._dims)
        self.stride = _each(kernel_size if stride is None else stride, self._dims)
        self.padding = _each(padding, self._dims)

    def forward(self, input, indices, output_size=None):
        return _unpool(
            self._dims, input, indices, self.kernel_size, self.stride, self.padding, output_size
        )

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Elements put back where `MaxPool1d` found them, and zeros elsewhere.

    >>> y, places = nn.MaxPool1d(2, return_indices=True)(torch.tensor([[1.0, 3.0, 2.0, 4.0]]))
    >>> nn.MaxUnpool1d(2)(y, places)
    """

    _dims = 1


class MaxUnpool2d(_MaxUnpool):
    """Elements put back where `MaxPool2d` found them, and zeros elsewhere.

    >>> y, places = nn.MaxPool2d(2, return_indices=True)(torch.arange(4.0).view(1, 2, 2))
    >>> nn.MaxUnpool2d(2)(y, places)
    """

    _dims = 2


class MaxUnpool3d(_MaxUnpool):
    """Elements put back where `MaxPool3d` found them, and zeros elsewhere.

    >>> y, places = nn.MaxPool3d(2, return_indices=True)(torch.arange(8.0).view(1, 2, 2, 2))
    >>> nn.MaxUnpool3d(2)(y, places)
    """

    _dims = 3


class _FractionalMaxPool(Module):
    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                 _random_samples=None):
        super().__init__()
        n = self._dims
        self.kernel_size, self.return_indices = _each(kernel_size, n), return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else _each(output_size, n)
        self.output_ratio = None if output_ratio is None else _each(output_ratio, n)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{type(self).__name__} requires specifying either an output size, or a pooling "
                "ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input):
        both = _fractional(
            self._dims, input, self.kernel_size, self.output_size, self.output_ratio,
            self._random_samples,
        )
        return both if self.return_indices else both[0]


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest element of each window of images; where the windows lie is drawn at random.

    >>> nn.FractionalMaxPool2d(2, output_size=3)(torch.randn(1, 5, 5)).shape
    """

    _dims = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest element of each window of volumes; where the windows lie is drawn at random.

    >>> nn.FractionalMaxPool3d(2, output_size=3)(torch.randn(1, 5, 5, 5)).shape
    """

    _dims = 3
