"""What speaks about numbers or calls functions: `np.finfo`, `np.vectorize`, `np.errstate` and
their like."""

import numpy as np
from numpy._core import asarray, normal_axis
from numpy._types import _dtype, _made, generic


def isscalar(element):
    """Whether it is a single number or a text. >>> np.isscalar(3.0)"""
    return isinstance(element, (generic, int, float, complex, str, bytes))


def iterable(y):
    """Whether it can be looped over. >>> np.iterable([1, 2])"""
    try:
        iter(y)
    except TypeError:
        return False
    return True


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of each row along an axis. >>> np.apply_along_axis(np.sum, 1, np.eye(2))"""
    arr = asarray(arr)
    axis = normal_axis(axis, arr.ndim)
    rows = np.moveaxis(arr, axis, -1)
    lead = rows.shape[:-1]
    flat = rows.reshape(-1, arr.shape[axis])
    found = [asarray(func1d(flat[i], *args, **kwargs)) for i in range(len(flat))]
    whole = np.stack(found)
    whole = whole.reshape(lead + whole.shape[1:])
    for d in range(len(found[0].shape)):
        whole = np.moveaxis(whole, len(lead) + d, axis + d)
    return whole


def apply_over_axes(func, a, axes):
    """A reduction along one axis after another, which stay.
    >>> np.apply_over_axes(np.sum, np.ones((2, 3)), [0, 1])"""
    found = asarray(a)
    for axis in axes if isinstance(axes, (tuple, list)) else [axes]:
        less = func(found, axis)
        found = less if np.ndim(less) == found.ndim else np.expand_dims(less, axis)
    return found


class vectorize:
    """A function of numbers as one of arrays; Python calls it for each element.
    >>> np.vectorize(lambda x: x + 1)([1, 2])"""

    def __init__(self, pyfunc=None, otypes=None, doc=None, excluded=None, cache=False,
                 signature=None):
        if signature is not None:
            raise NotImplementedError("vectorize(signature=…) is not here; loop over the rows")
        self.pyfunc, self.otypes, self.excluded = pyfunc, otypes, set(excluded or ())
        self.__name__ = getattr(pyfunc, "__name__", "vectorize")
        self.__doc__ = doc or getattr(pyfunc, "__doc__", None)

    def __call__(self, *args, **kwargs):
        if self.pyfunc is None:
            return vectorize(args[0], self.otypes, None, self.excluded)
        names = [name for name in kwargs if name not in self.excluded]
        places = [i for i in range(len(args)) if i not in self.excluded]
        parts = np.broadcast_arrays(*[args[i] for i in places], *[kwargs[name] for name in names])
        shape = parts[0].shape
        if not np.size(parts[0]) and self.otypes is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        rows, args = [], list(args)
        for values in zip(*[list(part.ravel()) for part in parts]):
            for i, value in zip(places, values):
                args[i] = value
            kwargs.update(zip(names, values[len(places):]))
            rows.append(self.pyfunc(*args, **kwargs))
        if rows and isinstance(rows[0], tuple):
            return tuple([self._made(list(each), i, shape) for i, each in enumerate(zip(*rows))])
        return self._made(rows, 0, shape)

    def _made(self, values, i, shape):
        kind = None if self.otypes is None else self.otypes[i]
        return np.array(values, kind).reshape(shape)


def frompyfunc(func, /, nin, nout, **kwargs):
    """A function of numbers as one of arrays. >>> np.frompyfunc(lambda x: x + 1, 1, 1)([1, 2])"""
    return vectorize(func)


class errstate:
    """Accepted and without effect: NaN and infinity are results like others here.
    >>> np.errstate(divide="ignore")"""

    def __init__(self, *, call=None, all=None, divide=None, over=None, under=None, invalid=None):
        pass

    def __enter__(self):
        return None

    def __exit__(self, *_):
        return None

    def __call__(self, function):
        return function


_errors = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Accepted and without effect; gives what was said before. >>> np.seterr(all="ignore")"""
    before = dict(_errors)
    for name, given in (("divide", divide), ("over", over), ("under", under), ("invalid", invalid)):
        _errors[name] = given or all or _errors[name]
    return before


def geterr():
    """What `seterr` was told. >>> np.geterr()["divide"]"""
    return dict(_errors)


class finfo:
    """The bounds of a type of floats. >>> np.finfo(np.float32).eps"""

    def __init__(self, dtype):
        kind = dtype._dtype if isinstance(dtype, generic) else _dtype(dtype)
        if kind.kind != "f":
            raise ValueError(f"data type {kind.type!r} not inexact")
        self.dtype, self.bits = kind, kind.bits
        self.nmant = {2: 10, 4: 23, 8: 52}[kind.itemsize]
        self.maxexp = {2: 16, 4: 128, 8: 1024}[kind.itemsize]
        self.minexp = 2 - self.maxexp
        self.precision = {2: 3, 4: 6, 8: 15}[kind.itemsize]
        self.machep, self.negep, self.iexp = (
            -self.nmant,
            -self.nmant - 1,
            kind.bits - 1 - self.nmant,
        )
        values = {
            "eps": 2.0**-self.nmant, "epsneg": 2.0 ** (-self.nmant - 1), "tiny": 2.0**self.minexp,
            "max": (2.0 - 2.0**-self.nmant) * 2.0 ** (self.maxexp - 1),
            "resolution": 10.0**-self.precision,
            "smallest_subnormal": 2.0 ** (self.minexp - self.nmant),
        }
        for name, value in values.items():
            setattr(self, name, _made(kind, value))
        self.min, self.smallest_normal = -self.max, self.tiny

    def __repr__(self):
        ends = f"min={self.min!s}, max={self.max!s}"
        return f"finfo(resolution={self.resolution!s}, {ends}, dtype={self.dtype})"


    def __str__(self):
        line = "-" * 63
        return (
            f"Machine parameters for {self.dtype}\n{line}\n"
            f"precision = {self.precision}   resolution = {self.resolution!s}\n"
            f"machep = {self.machep}   eps =        {self.eps!s}\n"
            f"negep =  {self.negep}   epsneg =     {self.epsneg!s}\n"
            f"minexp = {self.minexp}   tiny =       {self.tiny!s}\n"
            f"maxexp = {self.maxexp}   max =        {self.max!s}\n"
            f"nexp =   {self.iexp}   min =        -max\n"
            f"smallest_normal = {self.smallest_normal!s}   smallest_subnormal = "
            f"{self.smallest_subnormal!s}\n{line}\n"
        )


class iinfo:
    """The bounds of a type of whole numbers. >>> np.iinfo(np.int8).max"""

    def __init__(self, int_type):
        kind = int_type._dtype if isinstance(int_type, generic) else _dtype(int_type)
        if kind.kind not in "iu":
            raise ValueError(f"Invalid integer data type {kind.kind!r}.")
        self.dtype, self.bits, self.kind = kind, kind.bits, kind.kind
        self.min, self.max = kind.low, kind.high

    def __repr__(self):
        return f"iinfo(min={self.min!s}, max={self.max!s}, dtype={self.dtype})"

    def __str__(self):
        line = "-" * 63
        ends = f"min = {self.min!s}\nmax = {self.max!s}"
        return f"Machine parameters for {self.dtype}\n{line}\n{ends}\n{line}\n"


def base_repr(number, base=2, padding=0):
    """A whole number in another base. >>> np.base_repr(10, 3)"""
    digits, left = "", abs(int(number))
    while left:
        digits, left = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[left % base] + digits, left // base
    return ("-" if number < 0 else "") + "0" * padding + (digits or ("" if padding else "0"))


def binary_repr(num, width=None):
    """The bits of a whole number. >>> np.binary_repr(5, 8)"""
    num = int(num)
    if num < 0 and width is not None:
        num += 1 << width
    text = bin(abs(num))[2:].rjust(width or 0, "0")
    return "-" + text if num < 0 else text


def bitwise_count(x):
    """How many bits are 1. >>> np.bitwise_count([1, 3])"""
    a = np.abs(asarray(x))
    found = np.zeros_like(a)
    for bit in range(a.dtype.bits):
        found = found + ((a >> bit) & 1)
    return found.astype(np.uint8)


# Windows


def _window(M, function):
    return np.ones(1) if M == 1 else function(np.arange(1.0 - M, M, 2.0))


def hanning(M):
    """A window that falls to 0 at its ends. >>> np.hanning(5)"""
    return _window(M, lambda n: 0.5 + 0.5 * np.cos(np.pi * n / (M - 1)))


def hamming(M):
    """A window that falls to 0.08 at its ends. >>> np.hamming(5)"""
    return _window(M, lambda n: 0.54 + 0.46 * np.cos(np.pi * n / (M - 1)))


def blackman(M):
    """A window of two cosines. >>> np.blackman(5)"""
    return _window(
        M,
        lambda n: 0.42
        + 0.5 * np.cos(np.pi * n / (M - 1))
        + 0.08 * np.cos(2.0 * np.pi * n / (M - 1)),
    )


def bartlett(M):
    """A triangle as a window. >>> np.bartlett(5)"""
    return _window(M, lambda n: np.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1)))


# Polynomials, the highest power first


def polyval(p, x):
    """The value of a polynomial. >>> np.polyval([1, 0, 2], 3)"""
    p, x = asarray(p), x if isinstance(x, (int, float, generic)) else asarray(x)
    found = np.zeros_like(x)
    for c in p:
        found = found * x + c
    return found if isinstance(found, generic) or found.ndim else found[()]


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of a degree nearest to points. >>> np.polyfit([0, 1, 2], [1, 3, 7], 2)"""
    x, y = asarray(x, float), asarray(y, float)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1 or not x.size:
        raise TypeError(
            "expected non-empty vector for x" if x.ndim == 1 else "expected 1D vector for x"
        )
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    if full or cov:
        raise NotImplementedError(
            "polyfit: full=True and cov=True are not here; the coefficients alone are"
        )
    left = np.vander(x, deg + 1)
    if w is not None:
        w = asarray(w, float)
        left, y = left * w[:, None], y * (w if y.ndim == 1 else w[:, None])
    scale = np.sqrt((left * left).sum(0))
    q, r = np.linalg.qr(left / scale)
    found = np.linalg.solve(r, q.T @ y)
    return found / (scale if found.ndim == 1 else scale[:, None])


def polyadd(a1, a2):
    """The sum of two polynomials. >>> np.polyadd([1, 2], [1, 0, 0])"""
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    n = max(len(a), len(b))
    return np.pad(a, (n - len(a), 0)) + np.pad(b, (n - len(b), 0))


def polymul(a1, a2):
    """The product of two polynomials. >>> np.polymul([1, 1], [1, -1])"""
    return np.convolve(a1, a2)


def polyder(p, m=1):
    """The derivative of a polynomial. >>> np.polyder([1, 0, 2])"""
    p = asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def polyint(p, m=1, k=None):
    """An integral of a polynomial. >>> np.polyint([2, 0])"""
    p = asarray(p, float)
    for i in range(m):
        p = np.append(p / np.arange(len(p), 0, -1), 0.0 if k is None else np.atleast_1d(k)[i])
    return p


class poly1d:
    """A polynomial that can be called. >>> np.poly1d([1, 0, 2])(3)"""

    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if r:
            found = np.ones(1)
            for root in np.atleast_1d(c_or_r):
                found = np.convolve(found, np.array([1.0, -float(root)]))
            c_or_r = found
        c = np.trim_zeros(np.atleast_1d(c_or_r.c if isinstance(c_or_r, poly1d) else c_or_r), "f")
        self.coeffs = self.coefficients = self.coef = self.c = c if len(c) else np.array([0])
        self.order = self.o = len(self.c) - 1
        self.variable = variable or "x"

    def __call__(self, val):
        return polyval(self.c, val)

    def __getitem__(self, power):
        return self.c[self.order - power] if 0 <= power <= self.order else self.c.dtype.type(0)

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self.c)

    def __neg__(self):
        return poly1d(-self.c)

    def __add__(self, other):
        return poly1d(polyadd(self.c, poly1d(other).c))

    def __sub__(self, other):
        return self + -poly1d(other)

    def __mul__(self, other):
        return poly1d(polymul(self.c, poly1d(other).c))

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other):
        return isinstance(other, poly1d) and np.array_equal(self.c, other.c)

    def deriv(self, m=1):
        """The derivative. >>> np.poly1d([1, 0, 2]).deriv()"""
        return poly1d(polyder(self.c, m))

    def integ(self, m=1, k=0):
        """An integral. >>> np.poly1d([2, 0]).integ()"""
        return poly1d(polyint(self.c, m, np.resize(k, m)))

    def __repr__(self):
        return f"poly1d({np.array2string(self.c, separator=', ')})"

    def __str__(self):
        above, below = "", ""
        for i, c in enumerate(self.c):
            power = self.order - i
            if c == 0 and self.order:
                continue
            sign = ("-" if c < 0 else "") if not below else " - " if c < 0 else " + "
            below += sign + "%.4g" % abs(c) + (" " + self.variable if power else "")
            if power > 1:
                above = above.ljust(len(below)) + str(power)
                below = below.ljust(len(above) - 1)
        return above + "\n" + below.rstrip()
