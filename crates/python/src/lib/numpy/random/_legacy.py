"""`np.random.seed` and its functions: a Mersenne Twister, whose words the engine's generator
gives, drawn as NumPy does."""

import math
import operator

import _random
import _glowgrad as _C
import numpy as np
from numpy._core import array, asarray, on_cpu, quiet_class, wrap
from numpy._make import sizes
from numpy._ndarray import ndarray
from numpy._types import _dtype, _made
from numpy.random._samples import Distributions, count_of, scaled

_LOW = 0xFFFFFFFF
# Fewer numbers than this are drawn one by one.
_FEW = 32


class MT19937:
    """The Mersenne Twister: words of 32 bits. >>> np.random.MT19937(0).random_raw()"""

    def __init__(self, seed=None):
        if seed is None:
            # Not of PyTorch's stream, whose numbers NumPy must not move.
            seed = _random.Random().getrandbits(32)
        self._engine = _C.Generator()
        self._begin(seed)

    def _begin(self, seed):
        self._engine.manual_seed(seed)
        self._seed, self._drawn, self._words, self._at = seed, 0, [], 0

    def state(self):
        """Where the stream is: its seed, how many words were drawn, and those that wait."""
        return self._seed, self._drawn, tuple(self._words[self._at:])

    def go_to(self, state):
        """Goes on where `state` was asked."""
        seed, drawn, words = state
        self._begin(seed)
        while self._drawn < drawn:
            self._fresh(min(drawn - self._drawn, 1 << 20)).realize()
        self._words = list(words)

    def _fresh(self, n):
        """n new words, n even, as a tensor."""
        self._drawn += n

        def draw():
            pairs = _C.full((n // 2,), 0, _C.int64, False)
            _C.random_(pairs, -(2**63), None, self._engine)
            return _C.stack([(pairs >> 32) & _LOW, pairs & _LOW], 1).reshape(-1)

        return on_cpu(_C.quietly, draw)

    def word(self):
        """The next word. >>> np.random.MT19937(0).word()"""
        if self._at == len(self._words):
            self._words, self._at = self._fresh(256).tolist(), 0
        self._at += 1
        return self._words[self._at - 1]

    random_raw = word

    def words(self, n):
        """The next n words, as a tensor."""
        left = self._words[self._at:]
        self._words, self._at = [], 0
        if len(left) >= n:
            self._words = left[n:]
            return on_cpu(_C.from_data, left[:n], _C.int64, False)
        need = n - len(left)
        fresh = self._fresh(need + need % 2)
        if need % 2:
            self._words = [int(fresh[-1])]
            fresh = fresh[:-1]
        return _C.cat([on_cpu(_C.from_data, left, _C.int64, False), fresh]) if left else fresh

    def double(self):
        """A number from 0 to 1."""
        return ((self.word() >> 5) * 67108864 + (self.word() >> 6)) * 2.0**-53

    def doubles(self, n):
        """n numbers from 0 to 1, as a tensor."""
        if n < _FEW:
            return on_cpu(_C.from_data, [self.double() for _ in range(n)], _C.float64, False)
        words = self.words(2 * n)
        return _C.quietly(lambda: _doubles(words))

    def masked(self, most):
        """A whole number from 0 to `most`: words are cut to its bits until one is not too large."""
        if not most:
            return 0
        mask = (1 << most.bit_length()) - 1
        while True:
            value = self.word() if most <= _LOW else self.word() << 32 | self.word()
            if value & mask <= most:
                return value & mask


def _doubles(words):
    pairs = words.reshape(-1, 2)
    return ((pairs[:, 0] >> 5) * 67108864 + (pairs[:, 1] >> 6))._to(_C.float64) * 2.0**-53


@quiet_class
class RandomState(Distributions):
    """Random numbers with a stream of their own. >>> np.random.RandomState(0).rand(2)"""

    def __init__(self, seed=None):
        self.seed(seed)

    def __repr__(self):
        return "RandomState(MT19937)"

    def seed(self, seed=None):
        """Starts the numbers over: the same seed, the same numbers as in NumPy.
        >>> np.random.seed(0)"""
        if seed is not None:
            if isinstance(seed, MT19937):
                self._bits, self._next = seed, None
                return
            if isinstance(seed, (list, tuple)) or getattr(seed, "ndim", 0):
                raise NotImplementedError("seed: give one whole number; several are not taken here")
            try:
                seed = operator.index(seed)
            except TypeError:
                raise TypeError(f"Cannot cast array from {type(seed).__name__} to int64") from None
            if not 0 <= seed <= _LOW:
                raise ValueError("Seed must be between 0 and 2**32 - 1")
        self._bits, self._next = MT19937(seed), None

    def get_state(self, legacy=True):
        """Where the stream is, for `set_state`. >>> np.random.set_state(np.random.get_state())"""
        return "MT19937", self._bits.state(), self._next

    def set_state(self, state):
        """Goes on where `get_state` was asked. >>> np.random.set_state(np.random.get_state())"""
        _, bits, self._next = state
        self._bits.go_to(bits)

    # What the distributions are made of

    def _double(self):
        return self._bits.double()

    def _exponential(self):
        return -math.log(1.0 - self._bits.double())

    def _exponentials(self, n):
        if n < _FEW:
            return array([self._exponential() for _ in range(n)], float)
        return -np.log(1.0 - wrap(self._bits.doubles(n)))

    def _normal(self):
        if self._next is not None:
            found, self._next = self._next, None
            return found
        while True:
            x, y = 2.0 * self._bits.double() - 1.0, 2.0 * self._bits.double() - 1.0
            r = x * x + y * y
            if r < 1.0 and r != 0.0:
                break
        f = math.sqrt(-2.0 * math.log(r) / r)
        self._next = f * x
        return f * y

    def _normals(self, n):
        """n normal numbers, as a flat array."""
        if n < _FEW:
            return wrap(on_cpu(_C.from_data, [self._normal() for _ in range(n)], _C.float64, False))
        return wrap(_C.quietly(lambda: self._many_normals(n)))

    def _many_normals(self, n):
        parts = []
        if self._next is not None:
            parts.append(on_cpu(_C.from_data, [self._next], _C.float64, False))
            self._next, n = None, n - 1
        while n > 0:
            pairs = (n + 1) // 2
            # At least so many are needed: what is missing afterwards comes from later words.
            both = _doubles(self._bits.words(4 * pairs)).reshape(-1, 2) * 2.0 - 1.0
            r = both[:, 0] * both[:, 0] + both[:, 1] * both[:, 1]
            inside = _C.nonzero_tuple((r < 1.0) & (r != 0.0))[0]
            both, r = both[inside], r[inside]
            f = (-2.0 * r.log() / r).sqrt()
            found = _C.stack([f * both[:, 1], f * both[:, 0]], 1).reshape(-1)
            if len(found) > n:
                self._next = found[-1].item()
                found = found[:n]
            parts.append(found)
            n -= len(found)
        return _C.cat(parts)

    # Uniform and normal numbers

    def random_sample(self, size=None):
        """Numbers from 0 to 1. >>> np.random.random_sample((2, 3)).shape"""
        if size is None:
            return _made(np.dtype(float), self._double()).item()
        size = sizes(size)
        return wrap(self._bits.doubles(count_of(size)).reshape(size))

    def random(self, size=None):
        """Numbers from 0 to 1. >>> np.random.random((2, 3)).shape"""
        return self.random_sample(size)

    def rand(self, *args):
        """Numbers from 0 to 1 in a shape. >>> np.random.rand(2, 3).shape"""
        return self.random_sample(args or None)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Numbers from low to high. >>> np.random.uniform(-1, 1, 3).shape"""
        if size is None and type(low) in (int, float) and type(high) in (int, float):
            return low + (high - low) * self._double()
        low, high = _float(low), _float(high)
        width = high - low
        if not np.all(np.isfinite(width)):
            raise OverflowError("Range exceeds valid bounds")
        drawn = scaled(size, lambda n: wrap(self._bits.doubles(n)), low, high)
        return _number(low + width * drawn)

    def randn(self, *args):
        """Normal numbers in a shape. >>> np.random.randn(2, 3).shape"""
        return self.standard_normal(args or None)

    def standard_normal(self, size=None):
        """Normal numbers. >>> np.random.standard_normal(3).shape"""
        if size is None:
            return self._normal()
        return _number(scaled(size, self._normals))

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal numbers with this mean and standard deviation.
        >>> np.random.normal(5.0, 0.1, 3).shape"""
        if (
            type(scale) in (int, float)
            and scale < 0
            or np.ndim(scale)
            and np.any(np.less(scale, 0))
        ):
            raise ValueError("scale < 0")
        if size is None and type(loc) in (int, float) and type(scale) in (int, float):
            return loc + scale * self._normal()
        loc, scale = _float(loc), _float(scale)
        return _number(loc + scale * scaled(size, self._normals, loc, scale))

    # Whole numbers

    def randint(self, low, high=None, size=None, dtype=int):
        """Whole numbers from low to high, which is not included.
        >>> np.random.randint(0, 10, 3).shape"""
        if high is None:
            low, high = 0, low
        kind = _dtype(dtype)
        if np.ndim(low) or np.ndim(high):
            return self._between(low, high, size, kind)
        low, high = int(low), int(high)
        if kind.kind != "b" and low < kind.low:
            raise ValueError(f"low is out of bounds for {kind}")
        if high > (2 if kind.kind == "b" else kind.high + 1):
            raise ValueError(f"high is out of bounds for {kind}")
        if low >= high:
            raise ValueError("low >= high")
        if size is None:
            found = self._whole(1, high - 1 - low, kind)[0] + low
            return found if dtype is int else _made(kind, found)
        size = sizes(size)
        n, most = count_of(size), high - 1 - low
        if n < _FEW or kind.itemsize < 4 or most > _LOW:
            found = on_cpu(_C.from_data, self._whole(n, most, kind), _C.int64, False)
        else:
            found = _C.quietly(lambda: self._masked(n, most))
        return wrap((found + low)._to(kind.torch).reshape(size))

    def _whole(self, n, most, kind):
        """n numbers from 0 to `most`; narrow types share a word."""
        if not most:
            return [0] * n
        if kind.itemsize >= 4:
            return [self._bits.masked(most) for _ in range(n)]
        bits = 1 if kind.kind == "b" else kind.bits
        mask, found, word, left = (1 << most.bit_length()) - 1, [], 0, 0
        while len(found) < n:
            if not left:
                word, left = self._bits.word(), 32 // bits
            value = word & ((1 << bits) - 1) & mask
            word, left = word >> bits, left - 1
            if value <= most:
                found.append(value)
        return found

    def _masked(self, n, most):
        if not most:
            return on_cpu(_C.full, (n,), 0, _C.int64, False)
        mask = (1 << most.bit_length()) - 1
        if mask == most:
            return self._bits.words(n) & mask
        parts, need = [], n
        while need:
            values = self._bits.words(need) & mask
            parts.append(values[values <= most])
            need -= len(parts[-1])
        return _C.cat(parts)

    def _between(self, low, high, size, kind):
        low, high = np.broadcast_arrays(low, high)
        if np.any(low >= high):
            raise ValueError("low >= high")
        if size is not None:
            low, high = [np.broadcast_to(each, tuple(sizes(size))) for each in (low, high)]
        pairs = zip(low.ravel().tolist(), high.ravel().tolist())
        found = [self._whole(1, b - 1 - a, kind)[0] + a for a, b in pairs]
        return array(found, kind).reshape(low.shape)

    def random_integers(self, low, high=None, size=None):
        """Whole numbers from low to high, which is included.
        >>> np.random.random_integers(1, 6, 3).shape"""
        low, high = (1, low) if high is None else (low, high)
        return self.randint(low, int(high) + 1, size)

    def bytes(self, length):
        """Random bytes. >>> len(np.random.bytes(3))"""
        found = bytearray()
        while len(found) < length:
            found += self._bits.word().to_bytes(4, "little")
        return bytes(found[:length])

    # Orders and choices

    def _order(self, n):
        """0 … n - 1 in random order."""
        order, masked = list(range(n)), self._bits.masked
        for i in range(n - 1, 0, -1):
            j = masked(i)
            order[i], order[j] = order[j], order[i]
        return order

    def shuffle(self, x):
        """Puts an array or a list in random order. >>> np.random.shuffle([1, 2, 3])"""
        if isinstance(x, ndarray) or isinstance(x, _C.TensorBase):
            t = x._t if isinstance(x, ndarray) else x
            if not t.ndim:
                raise TypeError("x must be an integer or at least 1-dimensional")
            order = on_cpu(_C.from_data, self._order(len(t)), _C.int64, False)
            t.copy_(_C.quietly(lambda: t.index_select(0, order)))
            return
        for i in range(len(x) - 1, 0, -1):
            j = self._bits.masked(i)
            x[i], x[j] = x[j], x[i]

    def permutation(self, x):
        """0 … x - 1, or the rows of an array, in random order.
        >>> np.random.permutation(3).shape"""
        if isinstance(x, int):
            return wrap(on_cpu(_C.from_data, self._order(int(x)), _C.int64, False))
        x = asarray(x)
        if not x.ndim:
            raise IndexError("x must be an integer or at least 1-dimensional")
        return x[array(self._order(len(x)), int)]

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of an array, or of 0 … a - 1. >>> np.random.choice(3, 2).shape"""
        pool, n = pool_of(a)
        shape = None if size is None else sizes(size)
        if not n and (shape is None or count_of(shape)):
            raise ValueError("'a' cannot be empty unless no samples are taken")
        if p is not None:
            p = shares_of(p, n)
        if replace:
            if p is not None:
                cdf = p.cumsum()
                cdf = cdf / cdf[-1]
                found = np.searchsorted(cdf, self.random_sample(size), "right")
            else:
                found = self.randint(0, n, size)
        else:
            found = self._without(n, 1 if shape is None else count_of(shape), p)
            found = found[0] if shape is None else found.reshape(shape)
        return chosen(pool, found, size)

    def _without(self, n, count, p):
        """Some of 0 … n - 1, none twice."""
        if count > n:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        if p is None:
            return self.permutation(n)[:count]
        if np.count_nonzero(p > 0) < count:
            raise ValueError("Fewer non-zero entries in p than size")
        p, found = p.copy(), np.zeros(0, int)
        while len(found) < count:
            x = np.asarray(self.rand(count - len(found)))
            if len(found):
                p[found] = 0
            cdf = p.cumsum()
            cdf = cdf / cdf[-1]
            new = np.searchsorted(cdf, x, "right")
            _, first = np.unique(new, return_index=True)
            found = np.concatenate([found, new[np.sort(first)]])
        return found


def pool_of(a):
    """What is chosen from, None for numbers, and how many there are."""
    if isinstance(a, (int, float)) or hasattr(a, "ndim") and not a.ndim:
        n = int(a)
        if n <= 0:
            raise ValueError("a must be greater than 0 unless no samples are taken")
        return None, n
    if isinstance(a, (list, tuple)):
        try:
            a = asarray(a)
        except NotImplementedError:
            return list(a), len(a)
    else:
        a = asarray(a)
    if a.ndim != 1:
        raise ValueError("a must be 1-dimensional")
    return a, len(a)


def shares_of(p, n):
    """The probabilities of a choice, after a look at them."""
    p = asarray(p, float)
    if p.ndim != 1:
        raise ValueError("'p' must be 1-dimensional")
    if len(p) != n:
        raise ValueError("'a' and 'p' must have same size")
    if np.any(np.isnan(p)):
        raise ValueError("probabilities contain NaN")
    if np.any(p < 0):
        raise ValueError("probabilities are not non-negative")
    if abs(float(p.sum()) - 1.0) > 1.5e-8:
        raise ValueError("probabilities do not sum to 1")
    return p


def chosen(pool, found, size):
    """The elements at the places that were drawn."""
    if pool is None:
        return int(found) if size is None else found
    if isinstance(pool, list):
        if size is None:
            return pool[int(found)]
        return [pool[i] for i in found.ravel().tolist()]
    return pool[found]


def _float(x):
    return asarray(x, float) if np.ndim(x) else float(x)


def _number(x):
    """Python's float in place of a scalar: the older functions give it."""
    return x if isinstance(x, ndarray) else float(x)
