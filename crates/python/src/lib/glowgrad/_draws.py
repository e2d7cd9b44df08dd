"""Random numbers that are drawn until one is taken: gamma, Dirichlet, Poisson, binomial.

They take the generator's numbers in PyTorch's order, so that the same seed gives the same draws.
Gamma: G. Marsaglia and W. W. Tsang, "A Simple Method for Generating Gamma Variables", ACM TOMS
26(3), 2000. Poisson and binomial: W. Hörmann, "The transformed rejection method", Insurance:
Mathematics and Economics 12(1), 1993, and "The generation of binomial random variates", J. Stat.
Comput. Simul. 46, 1993.
"""

import math

import _glowgrad as _C
from _glowgrad import digamma
from glowgrad.autograd.grad_mode import no_grad

# Numbers that PyTorch has in float32.
_THIRD = 0.3333333432674408
_SQUEEZE = 0.033100001513957977


def _uniform(generator):
    return _C.rand((1,), _C.float64, False, generator).item()


def _normal(generator):
    return _C.randn((1,), _C.float64, False, generator).item()


def _each(name, draw, dtype, *parameters):
    """A tensor of what `draw` gives for each element of the parameters."""
    _C.stop_capturing(f"{name} draws until a number is taken")

    def make():
        with no_grad():
            rows = [x.detach().reshape(-1).tolist() for x in parameters]
            drawn = _C.from_data([draw(*row) for row in zip(*rows)], dtype, False)
            return drawn.reshape(parameters[0].shape).to(parameters[0].device)

    return _C.quietly(make)


def _gamma_draw(boost, shape, generator):
    """A gamma number of shape + 1 / 3, times a uniform number to the power of boost."""
    scale = 1.0
    if boost == math.inf:
        return 0.0
    if boost:
        scale = (1 - _uniform(generator)) ** boost
    width = 1.0 / math.sqrt(9.0 * shape)
    while True:
        x = _normal(generator)
        y = 1.0 + width * x
        while y <= 0:
            x = _normal(generator)
            y = 1.0 + width * x
        v = y * y * y
        u = 1 - _uniform(generator)
        square = x * x
        if u < 1.0 - _SQUEEZE * square * square:
            return scale * shape * v
        if math.log(u) < 0.5 * square + shape * (1.0 - v + math.log(v)):
            return scale * shape * v


def _gammas(concentration, generator):
    """Gamma numbers with this shape, computed as PyTorch does in the tensor's dtype."""
    with no_grad():
        small = concentration < 1
        boost = _C.where(small, 1 / concentration, concentration * 0)
        shape = _C.where(small, concentration + 1, concentration) - _THIRD
    return _each(
        "a gamma distribution", lambda *row: _gamma_draw(*row, generator), concentration.dtype,
        boost, shape,
    )


def _standard_gamma(concentration, generator=None):
    """Gamma numbers of rate 1; their gradient is that of a number that keeps its place."""
    from glowgrad._bytes import finfo

    drawn = _gammas(concentration, generator).clamp(min=finfo(concentration.dtype).tiny)

    def backward(gradient):
        with no_grad():
            slope = _C.quietly(lambda: _gamma_slope(concentration.detach(), drawn))
        return (gradient * slope,)

    return _C.custom("StandardGammaBackward0", backward, [concentration], drawn)


def _sample_dirichlet(concentration, generator=None):
    """Shares that sum to 1, by a Dirichlet distribution; without a gradient."""
    from glowgrad._bytes import finfo

    limits = finfo(concentration.dtype)
    gammas = _gammas(concentration.detach().double(), generator).clamp(min=2.2250738585072014e-308)
    shares = _C.quietly(lambda: (gammas / gammas.sum(-1, True)).to(concentration.dtype))
    return _C.quietly(lambda: shares.clamp(limits.tiny, 1 - limits.eps / 2))


def poisson(input, generator=None):
    """Counts by Poisson distributions with these rates.

    >>> torch.poisson(torch.tensor([0.0, 4.0])).shape
    """

    def draw(rate):
        if not rate >= 0:
            raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
        return _poisson_draw(rate, generator)

    return _each("a Poisson distribution", draw, input.dtype, input)


def _poisson_draw(rate, generator):
    if rate == 0:
        return 0.0
    if rate < 10:
        least, product, count = math.exp(-rate), 1.0, 0
        while True:
            product *= _uniform(generator)
            if product <= least:
                return float(count)
            count += 1
    root, log_rate = math.sqrt(rate), math.log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    most = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = _uniform(generator) - 0.5
        v = _uniform(generator)
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + rate + 0.43) if edge else -1
        if edge >= 0.07 and v <= most:
            return float(k)
        if k < 0 or edge < 0.013 and v > edge:
            continue
        left = math.log(v) + math.log(inverse) - math.log(a / (edge * edge) + b)
        if left <= -rate + k * log_rate - math.lgamma(k + 1):
            return float(k)


def binomial(count, prob, generator=None):
    """How many of `count` tries succeed, each with this probability.

    >>> torch.binomial(torch.tensor([10.0]), torch.tensor([0.5])).shape
    """
    with no_grad():
        few = _C.where(prob <= 0.5, prob, 1 - prob)
        deviation = (count * few * (1 - few)).sqrt()

    def draw(count, prob, few, mean, deviation, log_miss, ratio, middle):
        if math.isnan(prob):
            return math.nan
        if count <= 0 or prob <= 0:
            return 0.0
        if prob >= 1:
            return count
        if mean >= 10:
            drawn = _binomial_draw(count, few, mean, deviation, ratio, middle, generator)
        else:
            drawn = _waits_draw(count, log_miss, generator)
        return drawn if prob <= 0.5 else count - drawn

    with no_grad():
        parts = [
            count, prob, few, count * few, deviation, (-few).log1p(), few / (1 - few),
            ((count + 1) * few).floor(),
        ]
    return _each("a binomial distribution", draw, prob.dtype, *parts)


def _waits_draw(count, log_miss, generator):
    """Counts how many waits for a success fit into the tries."""
    passed, successes = 0, 0
    while True:
        u = _uniform(generator)
        passed += math.ceil(math.log(u) / log_miss) if u else math.inf
        if passed > count:
            return float(successes)
        successes += 1


def _binomial_draw(count, prob, mean, deviation, ratio, middle, generator):
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = mean + 0.5
    most = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * deviation
    while True:
        u = _uniform(generator) - 0.5
        v = _uniform(generator)
        edge = 0.5 - abs(u)
        k = float(math.floor((2 * a / edge + b) * u + c)) if edge else -1.0
        if k < 0 or k > count:
            continue
        if edge >= 0.07 and v <= most:
            return k
        v = math.log(v * alpha / (a / (edge * edge) + b))
        bound = (
            (middle + 0.5) * math.log((middle + 1) / (ratio * (count - middle + 1)))
            + (count + 1) * math.log((count - middle + 1) / (count - k + 1))
            + (k + 0.5) * math.log(ratio * (count - k + 1) / (k + 1))
            + _stirling(middle) + _stirling(count - middle) - _stirling(k) - _stirling(count - k)
        )
        if v <= bound:
            return k


def _stirling(k):
    """What Stirling's formula leaves of the logarithm of k!."""
    if k < 10:
        formula = (k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)
        return math.lgamma(k + 1) - formula
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def _sum_until_small(term, weight, ratio, step):
    """A sum of terms times weights: each term is the last times a ratio, weights grow by a step."""
    total, sizes, k = term * weight, term, 0
    while True:
        for _ in range(32):
            term = term * ratio(k)
            weight = weight + step(k)
            total, sizes = total + term * weight, sizes + term
            k += 1
        if k > 100_000 or not bool((term > sizes * 1e-17).any()):
            return total


def _gamma_slope(shape, x):
    """How a gamma number moves with its shape, its place in the distribution kept: exact series.

    With p the density, P / p is a sum of t with t = x^(n + 1) / (a (a + 1) … (a + n)), and each t p
    slopes by log x - digamma(a + n + 1) in a.
    """
    dtype = x.dtype
    a, x = shape.double(), x.double()
    far = a > 1e4
    near, value = _C.where(far, a * 0 + 1, a), _C.where(far, a * 0 + 1, x)
    slope = _sum_until_small(
        value / near, digamma(near + 1) - value.log(),
        lambda k: value / (near + (k + 1)), lambda k: 1 / (near + (k + 1)),
    )
    # Far out: by the place among normal numbers, of Cornish and Fisher's expansion.
    root = a.sqrt()
    w = (x - a) / root
    z = w - (w * w - 1) / (3 * root)
    flat = 1 + z / (2 * root) - (z * z * z - 7 * z) / (72 * a * root)
    return _C.where(far, flat, slope).to(dtype)


def _dirichlet_slope(x, shape, total):
    """As `_gamma_slope` for a share x by a beta distribution, over 1 - x.

    Summed from the side of x that is nearer.
    """
    dtype = x.dtype
    x, a = x.double(), shape.double()
    b = total.double() - a
    left = x <= 0.5
    y = 1 - x
    near, head, rest = _C.where(left, x, y), _C.where(left, a, b), _C.where(left, b, a)
    log = x.log()
    both = digamma(a + b)
    weight = _C.where(left, digamma(a + 1) - both - log, both + log - digamma(a))

    def step(k):
        here = 1 / (a + b + k)
        return _C.where(left, 1 / (a + (k + 1)) - here, here)

    slope = _sum_until_small(
        x * y / head, weight, lambda k: near * (a + b + k) / (head + (k + 1)), step
    )
    return (slope / y).to(dtype)
