"""Special functions that are made of ops: `lgamma`, `digamma`, `polygamma`, `erfinv`, `gammainc`.

Values are computed in float64 and rounded to the tensor's dtype; gradients are functions of this
file again. A function that the engine has as an op is the engine's.
"""

import math

import _glowgrad as _C
from glowgrad._place import _widest_float
from glowgrad.autograd.grad_mode import no_grad

# From here on the series in 1 / x are exact to float64.
_FAR = 10
# The Bernoulli numbers B2, B4, …
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _wide(name, value, slopes, *inputs):
    """A function under its name on the tape: its value in float64, its slope in each input."""
    inputs = [x if x.dtype.is_floating_point else x.float() for x in inputs]
    dtype = inputs[0].dtype
    with no_grad():
        result = _C.quietly(
            lambda: value(*[x.detach().to(_widest_float(x.device)) for x in inputs]).to(dtype)
        )

    def backward(gradient):
        return tuple([None if slope is None else gradient * slope(*inputs) for slope in slopes])

    return _C.custom(name, backward, inputs, result)


def lgamma(input):
    """The logarithm of the size of the gamma function.

    >>> torch.lgamma(torch.tensor([0.5, 1.0, 5.0]))
    """
    return _wide("LgammaBackward0", _lgamma, [digamma], input)


def _lgamma(x):
    # Left of 1/2 by way of gamma(x) gamma(1 - x) = pi / sin(pi x).
    mirrored = x < 0.5
    y = _C.where(mirrored, 1 - x, x)
    product = y.clone()
    for k in range(1, _FAR):
        product = product * (y + k)
    near = y < _FAR
    far = _C.where(near, y + _FAR, y)
    inverse = 1 / far
    square = inverse * inverse
    tail = square * 0
    for k in range(len(_BERNOULLI), 0, -1):
        tail = tail * square + _BERNOULLI[k - 1] / (2 * k * (2 * k - 1))
    result = (far - 0.5) * far.log() - far + 0.5 * math.log(2 * math.pi) + tail * inverse
    result = _C.where(near, result - _C.where(near, product, y * 0 + 1).log(), result)
    result = _C.where((y == 1) | (y == 2), result * 0, result)
    turn = (math.pi * (x - x.round())).sin().abs()
    result = _C.where(mirrored, math.log(math.pi) - turn.log() - result, result)
    return _C.where(x.abs() == math.inf, x.abs(), result)


def digamma(input):
    """The slope of `lgamma`.

    >>> torch.digamma(torch.tensor([0.5, 1.0, 5.0]))
    """
    return _wide("DigammaBackward0", _digamma, [lambda x: polygamma(1, x)], input)


def _digamma(x):
    # Left of 0 by way of digamma(1 - x) - digamma(x) = pi / tan(pi x).
    mirrored = x < 0
    y = _C.where(mirrored, 1 - x, x)
    result = y * 0
    for k in range(_FAR):
        result = result - 1 / (y + k)
    near = y < _FAR
    far = _C.where(near, y + _FAR, y)
    square = 1 / (far * far)
    tail = square * 0
    for k in range(len(_BERNOULLI), 0, -1):
        tail = (tail + _BERNOULLI[k - 1] / (2 * k)) * square
    result = _C.where(near, result, y * 0) + far.log() - 0.5 / far - tail
    turned = result - math.pi / (math.pi * (x - x.round())).tan()
    result = _C.where(mirrored, turned, result)
    result = _C.where(mirrored & (x == x.round()), x * 0 + math.nan, result)
    return _C.where(x == math.inf, x, result)


def polygamma(n, input):
    """The n-th slope of `digamma`, of positive numbers.

    >>> torch.polygamma(1, torch.tensor([0.5, 1.0, 5.0]))
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma(input)
    return _wide(
        "PolygammaBackward0", lambda x: _polygamma(n, x), [lambda x: polygamma(n + 1, x)], input
    )


def _polygamma(n, x):
    factorial = math.factorial(n)
    result = x * 0
    for k in range(_FAR):
        result = result + factorial / (x + k) ** (n + 1)
    near = x < _FAR
    far = _C.where(near, x + _FAR, x)
    square = 1 / (far * far)
    tail = square * 0
    for k in range(len(_BERNOULLI), 0, -1):
        weight = _BERNOULLI[k - 1] * math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        tail = (tail + weight) * square
    series = math.factorial(n - 1) / far ** n + factorial / (2 * far ** (n + 1)) + tail / far ** n
    return (-1) ** (n + 1) * (_C.where(near, result, x * 0) + series)


def mvlgamma(input, p):
    """The logarithm of the gamma function of p dimensions.

    >>> torch.mvlgamma(torch.tensor([2.0, 3.0]), 2)
    """
    steps = _C.arange(0, p, 1, input.dtype, False).to(input.device) / 2
    return lgamma(input.unsqueeze(-1) - steps).sum(-1) + p * (p - 1) / 4 * math.log(math.pi)


def erfinv(input):
    """The number whose `erf` this is.

    >>> torch.erfinv(torch.tensor([-0.5, 0.0, 0.5]))
    """
    return _wide("ErfinvBackward0", _erfinv, [_erfinv_slope], input)


def _erfinv(x):
    # Winitzki's approximation, then Newton's steps.
    a = 0.147
    log = (-x * x).log1p()
    half = 2 / (math.pi * a) + log / 2
    y = ((half * half - log / a).sqrt() - half).clamp(0).sqrt() * x.sign()
    for _ in range(3):
        y = y - (y.erf() - x) * (0.5 * math.sqrt(math.pi)) * (y * y).exp()
    y = _C.where(x == 0, x, y)
    return _C.where(x.abs() == 1, x * math.inf, y)


def _erfinv_slope(x):
    return 0.5 * math.sqrt(math.pi) * (erfinv(x) ** 2).exp()


def gammainc(input, other):
    """How much of the gamma distribution with shape `input` lies below `other`.

    >>> torch.distributions.Gamma(2.0, 1.0).cdf(torch.tensor([1.0, 2.0]))
    """

    from glowgrad import broadcast_tensors

    def refuse(a, x):
        raise NotImplementedError("the derivative for 'igamma: input' is not implemented.")

    def density(a, x):
        return (xlogy(a - 1, x) - x - lgamma(a)).exp()

    xlogy = _C.xlogy
    slopes = [refuse if input.requires_grad else None, density]
    input, other = broadcast_tensors(input, other)
    return _wide("SpecialGammaincBackward0", _gammainc, slopes, input, other)


def _gammainc(a, x):
    # A sum of positive terms left of the middle, a continued fraction right of it.
    term = total = 1 / a
    for k in range(1, _terms(a)):
        term = term * x / (a + k)
        total = total + term
    scale = (_C.xlogy(a, x) - x - _lgamma(a)).exp()
    below = total * scale
    right = x >= a + 1
    safe = _C.where(right, x, a + 2)
    c = 1 / (safe * 0 + 1e-300)
    b = safe + 1 - a
    d = 1 / b
    h = d
    for k in range(1, _terms(a)):
        step = -k * (k - a)
        b = b + 2
        d = 1 / (step * d + b)
        c = b + step / c
        h = h * d * c
    above = (_C.xlogy(a, safe) - safe - _lgamma(a)).exp() * h
    return _C.where(x == math.inf, x * 0 + 1, _C.where(right, 1 - above, below))


def _terms(a):
    """How many terms the sums of `gammainc` need."""
    if _C.is_capturing() or a.numel() == 0:
        return 100
    return int(60 + 12 * math.sqrt(min(max(a.max().item(), 1.0), 1e6)))


for _name in ("lgamma", "digamma", "polygamma", "mvlgamma", "erfinv", "gammainc"):
    if hasattr(_C, _name):
        globals()[_name] = getattr(_C, _name)
