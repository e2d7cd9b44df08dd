"""Windows that fade a signal in and out, for Fourier transforms of its parts."""

import math

import _glowgrad as _C
from glowgrad._out import _made
from glowgrad._place import _default, _device, _widest_float


def _checked(name, n, dtype):
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(
            f"{name}(): argument 'window_length' (position 1) must be int, not {type(n).__name__}"
        )
    dtype = dtype or _default[0]
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    if n < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={n}"
        )
    return dtype


def _window(name, n, periodic, dtype, requires_grad, shape):
    """A window of n numbers: `shape` of 0, 1, …; a periodic one leaves out the last of one more."""
    dtype = _checked(name, n, dtype)
    if n < 2:
        return _C.full((n,), 1.0, dtype, requires_grad, name)

    def make():
        wide = dtype if dtype.itemsize > 2 else _C.float32
        length = n + 1 if periodic else n
        return shape(_C.arange(0, length, 1, wide, False), length)[:n].clone().to(dtype)

    window = _C.quietly(make)
    return window.requires_grad_() if requires_grad else window


@_made
def hann_window(window_length, periodic=True, *, dtype=None, requires_grad=False):
    """A wave of a raised cosine from 0 to 1 and back.

    >>> torch.hann_window(6)
    """
    return _cosine("hann_window", window_length, periodic, 0.5, 0.5, dtype, requires_grad)


@_made
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None,
                   requires_grad=False):
    """alpha minus beta times a wave of a cosine.

    >>> torch.hamming_window(6)
    """
    return _cosine("hamming_window", window_length, periodic, alpha, beta, dtype, requires_grad)


def _cosine(name, n, periodic, alpha, beta, dtype, requires_grad):
    def shape(i, length):
        return (i * (2 * math.pi / (length - 1))).cos() * -beta + alpha

    return _window(name, n, periodic, dtype, requires_grad, shape)


@_made
def blackman_window(window_length, periodic=True, *, dtype=None, requires_grad=False):
    """A wave of two cosines that begins and ends flat.

    >>> torch.blackman_window(6)
    """

    def shape(i, length):
        i = i * (math.pi / (length - 1))
        return (i * 4).cos() * 0.08 - (i * 2).cos() * 0.5 + 0.42

    return _window("blackman_window", window_length, periodic, dtype, requires_grad, shape)


@_made
def bartlett_window(window_length, periodic=True, *, dtype=None, requires_grad=False):
    """A triangle from 0 to 1 and back.

    >>> torch.bartlett_window(6)
    """

    def shape(i, length):
        i = i * (2 / (length - 1))
        return _C.where(i <= 1, i, 2 - i)

    return _window("bartlett_window", window_length, periodic, dtype, requires_grad, shape)


@_made
def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, requires_grad=False):
    """A window of the Bessel function I0, the wider the smaller beta is.

    >>> torch.kaiser_window(6)
    """

    def shape(i, length):
        wide = _widest_float(_device(None))
        i = (i.to(wide) * (2 / (length - 1)) - 1).square()
        x, most = beta * (1 - i).clamp(0).sqrt(), _C.full((), float(beta), wide, False)
        return (x - most).exp() * _bessel(x) / _bessel(most)

    return _window("kaiser_window", window_length, periodic, dtype, requires_grad, shape)


def _bessel(x):
    """I0(x) exp(-|x|), from the integral of exp(x cos t) over a half turn.

    The sum over evenly spaced angles of a periodic function is exact once there are enough of them.
    """
    n = 32 + int(6 * math.sqrt(x.abs().max().item()))
    angles = (_C.arange(0, n, 1, x.dtype, False) + 0.5) * (math.pi / n)
    x = x.abs().unsqueeze(-1)
    return (x * (angles.cos() - 1)).exp().mean(-1)
