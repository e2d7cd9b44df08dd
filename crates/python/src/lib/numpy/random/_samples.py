"""Numbers of many distributions, one by one, from a source of uniform and normal ones: NumPy's
ways to draw them.

A source has `_double()`, uniform from 0 to 1, `_normal()` and `_exponential()`.
"""

from math import exp, floor, inf, lgamma, log, pow, sqrt

import numpy as np
from numpy._core import quiet_class
from numpy._make import sizes


def gamma(source, shape):
    if shape == 1.0:
        return source._exponential()
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        while True:
            u, v = source._double(), source._exponential()
            if u <= 1.0 - shape:
                x = pow(u, 1.0 / shape)
                if x <= v:
                    return x
            else:
                y = -log((1 - u) / shape)
                x = pow(1.0 - shape + shape * y, 1.0 / shape)
                if x <= v + y:
                    return x
    b = shape - 1.0 / 3.0
    c = 1.0 / sqrt(9 * b)
    while True:
        while True:
            x = source._normal()
            v = 1.0 + c * x
            if v > 0.0:
                break
        v = v * v * v
        u = source._double()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if log(u) < 0.5 * x * x + b * (1.0 - v + log(v)):
            return b * v


def beta(source, a, b):
    if a <= 1.0 and b <= 1.0:
        while True:
            u, v = source._double(), source._double()
            x, y = pow(u, 1.0 / a), pow(v, 1.0 / b)
            if x + y <= 1.0 and u + v > 0.0:
                if x + y > 0:
                    return x / (x + y)
                p, q = log(u) / a, log(v) / b
                most = max(p, q)
                p, q = p - most, q - most
                return exp(p - log(exp(p) + exp(q)))
    x = gamma(source, a)
    return x / (x + gamma(source, b))


def poisson(source, lam):
    if lam == 0:
        return 0
    if lam < 10:
        least, n, product = exp(-lam), 0, 1.0
        while True:
            product *= source._double()
            if product <= least:
                return n
            n += 1
    b = 0.931 + 2.53 * sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    vr = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = source._double() - 0.5, source._double()
        us = 0.5 - abs(u)
        k = floor((2 * a / us + b) * u + lam + 0.43)
        if us >= 0.07 and v <= vr:
            return k
        if k < 0 or us < 0.013 and v > us:
            continue
        if log(v) + log(inverse) - log(a / (us * us) + b) <= -lam + k * log(lam) - lgamma(k + 1):
            return k


def binomial(source, n, p):
    if n == 0 or p == 0:
        return 0
    if p > 0.5:
        return n - _few(source, n, 1.0 - p) if (1.0 - p) * n <= 30.0 else _many(source, n, p)
    return _few(source, n, p) if p * n <= 30.0 else _many(source, n, p)


def _few(source, n, p):
    q = 1.0 - p
    first = exp(n * log(q))
    bound = int(min(n, n * p + 10.0 * sqrt(n * p * q + 1)))
    x, px, u = 0, first, source._double()
    while u > px:
        x += 1
        if x > bound:
            x, px, u = 0, first, source._double()
        else:
            u -= px
            px = ((n - x + 1) * p * px) / (x * q)
    return x


def _many(source, n, p):
    r = min(p, 1.0 - p)
    q = 1.0 - r
    fm = n * r + r
    m = floor(fm)
    p1 = floor(2.195 * sqrt(n * r * q) - 4.6 * q) + 0.5
    xm = m + 0.5
    xl, xr = xm - p1, xm + p1
    c = 0.134 + 20.5 / (15.3 + m)
    a = (fm - xl) / (fm - xl * r)
    left = a * (1.0 + a / 2.0)
    a = (xr - fm) / (xr * q)
    right = a * (1.0 + a / 2.0)
    p2 = p1 * (1.0 + 2.0 * c)
    p3 = p2 + c / left
    p4 = p3 + c / right
    nrq = n * r * q
    while True:
        u, v = source._double() * p4, source._double()
        if u <= p1:
            y = floor(xm - p1 * v + u)
            break
        if u <= p2:
            x = xl + (u - p1) / c
            v = v * c + 1.0 - abs(m - x + 0.5) / p1
            if v > 1.0:
                continue
            y = floor(x)
        elif v == 0.0:
            continue
        elif u <= p3:
            y = floor(xl + log(v) / left)
            if y < 0:
                continue
            v = v * (u - p2) * left
        else:
            y = floor(xr - log(v) / right)
            if y > n:
                continue
            v = v * (u - p3) * right
        if _accepted(n, r, q, nrq, m, xm, y, v):
            break
    return n - y if p > 0.5 else y


def _accepted(n, r, q, nrq, m, xm, y, v):
    k = abs(y - m)
    if not (k > 20 and k < nrq / 2.0 - 1):
        s = r / q
        a, f = s * (n + 1), 1.0
        for i in range(m + 1, y + 1):
            f *= a / i - s
        for i in range(y + 1, m + 1):
            f /= a / i - s
        return v <= f
    rho = (k / nrq) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5)
    t, a = -k * k / (2 * nrq), log(v) if v > 0 else -inf
    if a < t - rho:
        return True
    if a > t + rho:
        return False
    x1, f1, z, w = y + 1, m + 1, n + 1 - m, n - y + 1
    tail = sum(
        [
            (13680.0 - (462.0 - (132.0 - (99.0 - 140.0 / e**2) / e**2) / e**2) / e**2)
            / e
            / 166320.0
            for e in (f1, z, x1, w)
        ]
    )
    return (
        a <= xm * log(f1 / x1) + (n - m + 0.5) * log(z / w) + (y - m) * log(w * r / (x1 * q)) + tail
    )


# How often, and with which parameters


def count_of(size):
    """How many numbers a size asks for."""
    n = 1
    for length in size:
        n *= length
    return n


def each(size, draw, *parameters, whole=False):
    """Numbers drawn one by one, for parameters that may be arrays."""
    if size is None and not any(np.ndim(p) for p in parameters):
        found = draw(*[float(p) if not whole else p for p in parameters])
        return found
    met = np.broadcast_shapes(*[np.shape(p) for p in parameters])
    size = list(met) if size is None else sizes(size)
    rows = [np.broadcast_to(np.asarray(p), tuple(size)).ravel().tolist() for p in parameters]
    n = count_of(size)
    found = [draw(*row) for row in zip(*rows)] if rows else [draw() for _ in range(n)]
    return np.array(found, int if whole else float).reshape(size)


def scaled(size, draw, *parameters):
    """`draw(n)`, a flat array, as numbers for parameters that may be arrays: its shape, and the
    draw."""
    met = np.broadcast_shapes(*[np.shape(p) for p in parameters])
    if size is None:
        if not met:
            return draw(1)[0]
        size = met
    size = sizes(size)
    if met and np.broadcast_shapes(met, tuple(size)) != tuple(size):
        raise ValueError("Output size is not compatible with broadcast dimensions of inputs.")
    return draw(count_of(size)).reshape(size)


@quiet_class
class Distributions:
    """What both kinds of generators draw in the same way."""

    def _exponentials(self, n):
        return np.array([self._exponential() for _ in range(n)])

    def standard_exponential(self, size=None):
        """Numbers of the exponential distribution. >>> np.random.standard_exponential(3).shape"""
        return scaled(size, self._exponentials)

    def exponential(self, scale=1.0, size=None):
        """Numbers of the exponential distribution with this mean.
        >>> np.random.exponential(2.0, 3).shape"""
        return scale * scaled(size, self._exponentials, scale)

    def standard_gamma(self, shape, size=None):
        """Numbers of the gamma distribution. >>> np.random.standard_gamma(2.0, 3).shape"""
        return each(size, lambda k: gamma(self, k), shape)

    def gamma(self, shape, scale=1.0, size=None):
        """Numbers of the gamma distribution. >>> np.random.gamma(2.0, 1.0, 3).shape"""
        return each(size, lambda k, by: by * gamma(self, k), shape, scale)

    def beta(self, a, b, size=None):
        """Numbers of the beta distribution. >>> np.random.beta(1.0, 2.0, 3).shape"""
        return each(size, lambda a, b: beta(self, a, b), a, b)

    def chisquare(self, df, size=None):
        """Numbers of the chi-square distribution. >>> np.random.chisquare(2, 3).shape"""
        return each(size, lambda df: 2.0 * gamma(self, df / 2.0), df)

    def f(self, dfnum, dfden, size=None):
        """Numbers of the F distribution. >>> np.random.f(2, 3, 3).shape"""
        def draw(m, n):
            top = 2.0 * gamma(self, m / 2.0) * n
            return top / (2.0 * gamma(self, n / 2.0) * m)

        return each(size, draw, dfnum, dfden)

    def standard_t(self, df, size=None):
        """Numbers of Student's distribution. >>> np.random.standard_t(3, 3).shape"""
        def draw(df):
            top = self._normal()
            return sqrt(df / 2) * top / sqrt(gamma(self, df / 2))

        return each(size, draw, df)

    def standard_cauchy(self, size=None):
        """Numbers of the Cauchy distribution. >>> np.random.standard_cauchy(3).shape"""
        return each(size, lambda: self._normal() / self._normal())

    def dirichlet(self, alpha, size=None):
        """Shares that add to 1. >>> np.random.dirichlet([1.0, 2.0]).sum()"""
        alpha = np.asarray(alpha, float).tolist()
        shape = [] if size is None else sizes(size)
        rows = []
        for _ in range(count_of(shape)):
            row = [gamma(self, a) for a in alpha]
            total = 0.0
            for value in row:
                total += value
            inverse = 1 / total
            rows.append([value * inverse for value in row])
        return np.array(rows).reshape(shape + [len(alpha)])

    def poisson(self, lam=1.0, size=None):
        """Numbers of events that come `lam` times on average.
        >>> np.random.poisson(3.0, 3).shape"""
        return each(size, lambda lam: poisson(self, lam), lam, whole=True)

    def binomial(self, n, p, size=None):
        """How many of n trials succeed. >>> np.random.binomial(10, 0.5, 3).shape"""
        if np.any(np.less(p, 0)) or np.any(np.greater(p, 1)):
            raise ValueError("p < 0, p > 1 or p is NaN")
        if np.any(np.less(n, 0)):
            raise ValueError("n < 0")
        return each(size, lambda n, p: binomial(self, int(n), float(p)), n, p, whole=True)

    def multinomial(self, n, pvals, size=None):
        """How many of n trials fall on each of several outcomes.
        >>> np.random.multinomial(10, [0.5, 0.5]).sum()"""
        shares = np.asarray(pvals, float).tolist()
        if sum(shares[:-1]) > 1.0 + 1e-12:
            raise ValueError("sum(pvals[:-1]) > 1.0")
        shape = [] if size is None else sizes(size)
        rows = []
        for _ in range(count_of(shape)):
            row, left, total = [0] * len(shares), int(n), 1.0
            for j, share in enumerate(shares[:-1]):
                row[j] = binomial(self, left, share / total)
                left -= row[j]
                if left <= 0:
                    break
                total -= share
            if left > 0:
                row[-1] = left
            rows.append(row)
        return np.array(rows, int).reshape(shape + [len(shares)])

    def negative_binomial(self, n, p, size=None):
        """How many trials fail before n succeed.
        >>> np.random.negative_binomial(3, 0.5, 3).shape"""
        return each(
            size, lambda n, p: poisson(self, (1 - p) / p * gamma(self, n)), n, p, whole=True
        )

    def geometric(self, p, size=None):
        """How many trials it takes to succeed. >>> np.random.geometric(0.5, 3).shape"""
        return each(size, self._geometric, p, whole=True)

    def _geometric(self, p):
        if p < 0.333333333333333333333333:
            return int(np.ceil(-self._exponential() / np.log1p(-p)))
        n, total, u = 1, p, self._double()
        product = p
        while u > total:
            product *= 1.0 - p
            total += product
            n += 1
        return n

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the Laplace distribution. >>> np.random.laplace(0.0, 1.0, 3).shape"""
        def draw(loc, scale):
            while True:
                u = self._double()
                if u >= 0.5:
                    return loc - scale * log(2.0 - u - u)
                if u > 0.0:
                    return loc + scale * log(u + u)

        return each(size, draw, loc, scale)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the Gumbel distribution. >>> np.random.gumbel(0.0, 1.0, 3).shape"""
        def draw(loc, scale):
            while True:
                u = 1.0 - self._double()
                if u < 1.0:
                    return loc - scale * log(-log(u))

        return each(size, draw, loc, scale)

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """Numbers of the logistic distribution. >>> np.random.logistic(0.0, 1.0, 3).shape"""
        def draw(loc, scale):
            while True:
                u = self._double()
                if u > 0.0:
                    return loc + scale * log(u / (1.0 - u))

        return each(size, draw, loc, scale)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """Numbers whose logarithms are normal. >>> np.random.lognormal(0.0, 1.0, 3).shape"""
        return np.exp(self.normal(mean, sigma, size))

    def rayleigh(self, scale=1.0, size=None):
        """Numbers of the Rayleigh distribution. >>> np.random.rayleigh(1.0, 3).shape"""
        return scale * np.sqrt(2.0 * scaled(size, self._exponentials, scale))

    def weibull(self, a, size=None):
        """Numbers of the Weibull distribution. >>> np.random.weibull(2.0, 3).shape"""
        return np.power(scaled(size, self._exponentials, a), np.divide(1.0, a))

    def pareto(self, a, size=None):
        """Numbers of the Pareto distribution, less 1. >>> np.random.pareto(2.0, 3).shape"""
        return np.expm1(scaled(size, self._exponentials, a) / a)

    def power(self, a, size=None):
        """Numbers of the power distribution. >>> np.random.power(2.0, 3).shape"""
        return np.power(-np.expm1(-scaled(size, self._exponentials, a)), np.divide(1.0, a))

    def triangular(self, left, mode, right, size=None):
        """Numbers of the triangular distribution.
        >>> np.random.triangular(0.0, 1.0, 2.0, 3).shape"""
        def draw(left, mode, right):
            base, ratio = right - left, (mode - left) / (right - left)
            u = self._double()
            if u <= ratio:
                return left + sqrt(u * ((mode - left) * base))
            return right - sqrt((1.0 - u) * ((right - mode) * base))

        return each(size, draw, left, mode, right)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        """Vectors of normal numbers with these covariances; the numbers are not NumPy's.
        >>> np.random.multivariate_normal([0.0, 0.0], np.eye(2)).shape"""
        mean, cov = np.asarray(mean, float), np.asarray(cov, float)
        shape = [] if size is None else sizes(size)
        n = mean.shape[0]
        drawn = self.standard_normal(shape + [n]).reshape(-1, n)
        u, s, vt = np.linalg.svd(cov)
        found = mean + drawn @ (np.sqrt(s)[:, None] * vt)
        return found.reshape(shape + [n])
