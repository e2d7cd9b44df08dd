"""Random numbers: the generator and the methods of CPython, so that seeded runs agree with it."""

import _random
from itertools import accumulate as _accumulate
from math import ceil as _ceil, cos as _cos, e as _e, exp as _exp, floor as _floor
from math import log as _log, sin as _sin, sqrt as _sqrt, tau as _tau

_NORMAL_MAGIC = 4 * _exp(-0.5) / _sqrt(2.0)


def _bisect(sequence, x, high):
    low = 0
    while low < high:
        middle = (low + high) // 2
        if x < sequence[middle]:
            high = middle
        else:
            low = middle + 1
    return low


class Random(_random.Random):
    """A random number generator of its own."""

    def __init__(self, x=None):
        self.seed(x)

    def seed(self, a=None, version=2):
        """Starts over from a seed: an int, a float, a string or bytes."""
        if isinstance(a, str):
            # CPython appends a SHA-512 here; strings give other numbers than there.
            a = a.encode()
        elif isinstance(a, float):
            a = hash(a)
        elif a is not None and not isinstance(a, (int, bytes)):
            raise TypeError(
                "seed: got " + type(a).__name__ + ", expected None, int, float, str or bytes"
            )
        super().seed(a)
        self.gauss_next = None

    def getstate(self):
        return 3, super().getstate(), self.gauss_next

    def setstate(self, state):
        version, words, self.gauss_next = state
        super().setstate(words)

    def _randbelow(self, n):
        bits = n.bit_length()
        value = self.getrandbits(bits)
        while value >= n:
            value = self.getrandbits(bits)
        return value

    def randbytes(self, n):
        return self.getrandbits(n * 8).to_bytes(n, "little")

    def randrange(self, start, stop=None, step=1):
        """An item of range(start, stop, step)."""
        if stop is None:
            if start > 0:
                return self._randbelow(start)
            raise ValueError("empty range for randrange()")
        width = stop - start
        if step == 1:
            if width > 0:
                return start + self._randbelow(width)
            raise ValueError(f"empty range in randrange({start}, {stop})")
        if step > 0:
            n = (width + step - 1) // step
        elif step < 0:
            n = (width + step + 1) // step
        else:
            raise ValueError("zero step for randrange()")
        if n <= 0:
            raise ValueError(f"empty range in randrange({start}, {stop}, {step})")
        return start + step * self._randbelow(n)

    def randint(self, a, b):
        """An integer from a to b, both included."""
        return self.randrange(a, b + 1)

    def choice(self, seq):
        """One element of a sequence."""
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._randbelow(len(seq))]

    def shuffle(self, x):
        """Shuffles a list in place."""
        for i in reversed(range(1, len(x))):
            j = self._randbelow(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        """k different elements, in random order."""
        if counts is not None:
            population = [x for x, count in zip(population, counts) for _ in range(count)]
        n = len(population)
        if not 0 <= k <= n:
            raise ValueError("Sample larger than population or is negative")
        result = [None] * k
        setsize = 21
        if k > 5:
            setsize += 4 ** _ceil(_log(k * 3, 4))
        if n <= setsize:
            pool = list(population)
            for i in range(k):
                j = self._randbelow(n - i)
                result[i] = pool[j]
                pool[j] = pool[n - i - 1]
        else:
            selected = set()
            for i in range(k):
                j = self._randbelow(n)
                while j in selected:
                    j = self._randbelow(n)
                selected.add(j)
                result[i] = population[j]
        return result

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        """k elements, with repeats."""
        n = len(population)
        if cum_weights is None:
            if weights is None:
                n += 0.0
                return [population[_floor(self.random() * n)] for _ in range(k)]
            cum_weights = list(_accumulate(weights))
        if len(cum_weights) != n:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        return [
            population[_bisect(cum_weights, self.random() * total, n - 1)] for _ in range(k)
        ]

    def uniform(self, a, b):
        """A float between a and b."""
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        c = 0.5 if mode is None else (mode - low) / (high - low)
        if u > c:
            u, c = 1.0 - u, 1.0 - c
            low, high = high, low
        return low + (high - low) * _sqrt(u * c)

    def normalvariate(self, mu=0.0, sigma=1.0):
        """A float from the normal distribution (Kinderman and Monahan)."""
        while True:
            u1 = self.random()
            u2 = 1.0 - self.random()
            z = _NORMAL_MAGIC * (u1 - 0.5) / u2
            if z * z / 4.0 <= -_log(u2):
                return mu + z * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        """A float from the normal distribution, two at a time."""
        z, self.gauss_next = self.gauss_next, None
        if z is None:
            angle = self.random() * _tau
            radius = _sqrt(-2.0 * _log(1.0 - self.random()))
            z = _cos(angle) * radius
            self.gauss_next = _sin(angle) * radius
        return mu + z * sigma

    def lognormvariate(self, mu=0.0, sigma=1.0):
        return _exp(self.normalvariate(mu, sigma))

    def expovariate(self, lambd=1.0):
        return -_log(1.0 - self.random()) / lambd

    def betavariate(self, alpha, beta):
        y = self.gammavariate(alpha, 1.0)
        return y / (y + self.gammavariate(beta, 1.0)) if y else 0.0

    def gammavariate(self, alpha, beta):
        """The gamma distribution (Cheng 1977; Ahrens and Dieter 1974)."""
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        if alpha > 1.0:
            ainv = _sqrt(2.0 * alpha - 1.0)
            bbb = alpha - _log(4.0)
            ccc = alpha + ainv
            while True:
                u1 = self.random()
                if not 1e-7 < u1 < 0.9999999:
                    continue
                u2 = 1.0 - self.random()
                v = _log(u1 / (1.0 - u1)) / ainv
                x = alpha * _exp(v)
                z = u1 * u1 * u2
                r = bbb + ccc * v - x
                if r + 1.0 + _log(4.5) - 4.5 * z >= 0.0 or r >= _log(z):
                    return x * beta
        if alpha == 1.0:
            return -_log(1.0 - self.random()) * beta
        while True:
            u = self.random()
            b = (_e + alpha) / _e
            p = b * u
            x = p ** (1.0 / alpha) if p <= 1.0 else -_log((b - p) / alpha)
            u1 = self.random()
            if p > 1.0:
                if u1 <= x ** (alpha - 1.0):
                    break
            elif u1 <= _exp(-x):
                break
        return x * beta


_instance = Random()
seed = _instance.seed
random = _instance.random
getrandbits = _instance.getrandbits
getstate = _instance.getstate
setstate = _instance.setstate
randbytes = _instance.randbytes
randrange = _instance.randrange
randint = _instance.randint
choice = _instance.choice
choices = _instance.choices
shuffle = _instance.shuffle
sample = _instance.sample
uniform = _instance.uniform
triangular = _instance.triangular
normalvariate = _instance.normalvariate
gauss = _instance.gauss
lognormvariate = _instance.lognormvariate
expovariate = _instance.expovariate
betavariate = _instance.betavariate
gammavariate = _instance.gammavariate
