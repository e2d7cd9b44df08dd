"""`np.random.default_rng`: the PCG64 generator and its ziggurats, with NumPy's own numbers.

Long because: the generator's methods are one class, and their tables are computed beside them.
"""

import math

import _glowgrad as _C
import numpy as np
from numpy._core import array, asarray, on_cpu, quiet_class, wrap
from numpy._make import sizes
from numpy._ndarray import ndarray
from numpy._types import FLOAT32, FLOAT64, _dtype, _made
from numpy.random._legacy import chosen, pool_of, shares_of
from numpy.random._pcg import _M32, _M64, PCG64, BitGenerator, SeedSequence, _table
from numpy.random._samples import Distributions, count_of, each, scaled


@quiet_class
class Generator(Distributions):
    """Random numbers from a generator of bits. >>> np.random.default_rng(0).random(2)"""

    def __init__(self, bit_generator):
        self.bit_generator = self._bits = bit_generator

    def __repr__(self):
        return "Generator(PCG64)"

    def _double(self):
        return self._bits.double()

    def _normal(self):
        k, w, f = _table("normal")
        while True:
            word = self._bits.word()
            i, size = word & 0xFF, (word >> 9) & 0x000FFFFFFFFFFFFF
            x = -(size * w[i]) if word >> 8 & 1 else size * w[i]
            if size < k[i]:
                return x
            if self._normal_kept(i, size, x, f):
                return x if i else self._tail

    def _normal_kept(self, i, size, x, f):
        """Whether a number at the edge of its layer stays; in the lowest one the tail's is
        taken."""
        if i:
            return (f[i - 1] - f[i]) * self._bits.double() + f[i] < math.exp(-0.5 * x * x)
        while True:
            a = -0.27366123732975828 * math.log1p(-self._bits.double())
            b = -math.log1p(-self._bits.double())
            if b + b > a * a:
                self._tail = -(3.6541528853610088 + a) if size >> 8 & 1 else 3.6541528853610088 + a
                return True

    def _exponential(self):
        k, w, f = _table("exponential")
        while True:
            word = self._bits.word() >> 3
            i, size = word & 0xFF, word >> 8
            x = size * w[i]
            if size < k[i]:
                return x
            if not i:
                return 7.69711747013104972 - math.log1p(-self._bits.double())
            if (f[i - 1] - f[i]) * self._bits.double() + f[i] < math.exp(-x):
                return x

    def _doubles(self, n):
        words = self._bits.words(n)
        return wrap(_C.quietly(lambda: ((words >> 11) & (1 << 53) - 1)._to(_C.float64) * 2.0**-53))

    def _normals(self, n):
        if n < 64:
            return array([self._normal() for _ in range(n)], float)
        return wrap(on_cpu(_C.quietly, lambda: self._many_normals(n)))

    def _many_normals(self, n):
        tables, bits, parts = _table("normal"), self._bits, []
        k, w = _C.from_data(tables[0], _C.int64, False), _C.from_data(tables[1], _C.float64, False)
        while n:
            words = bits.words(n)
            i, size = words & 0xFF, (words >> 9) & 0x000FFFFFFFFFFFFF
            x = size._to(_C.float64) * w[i]
            x = _C.where((words >> 8 & 1) == 1, -x, x)
            at = 0
            for edge in _C.nonzero_tuple(size >= k[i])[0].tolist():
                if edge < at:
                    continue
                # At the edge of a layer a number takes more words: it is drawn alone from here.
                parts.append(x[at:edge])
                next_words = [word & _M64 for word in words[edge:edge + 64].tolist()]
                later = bits._ready[bits._at:]
                bits._ready, bits._at = next_words + (later if edge + 64 >= len(words) else []), 0
                parts.append(_C.from_data([self._normal()], _C.float64, False))
                used, at = bits._at, edge + min(bits._at, len(next_words))
                later = later[max(used - len(next_words), 0):]
                bits._ready, bits._at = later, 0
                n -= parts[-2].shape[0] + 1
            parts.append(x[at:])
            n -= parts[-1].shape[0]
        return _C.cat(parts)

    # Uniform and normal numbers

    def random(self, size=None, dtype=float, out=None):
        """Numbers from 0 to 1. >>> np.random.default_rng(0).random(3)"""
        if _dtype(dtype) is FLOAT32:
            n = 1 if size is None else count_of(sizes(size))
            found = np.array(
                [(self._bits.half_word() >> 8) * 2.0**-24 for _ in range(n)], np.float32
            )
            return _into(out, found[0] if size is None else found.reshape(sizes(size)))
        if size is None and out is None:
            return self._bits.double()
        shape = sizes(out.shape if size is None else size)
        return _into(out, self._doubles(count_of(shape)).reshape(shape))

    def uniform(self, low=0.0, high=1.0, size=None):
        """Numbers from low to high. >>> np.random.default_rng(0).uniform(-1, 1, 3)"""
        width = (
            np.subtract(high, low) if np.ndim(low) or np.ndim(high) else float(high) - float(low)
        )
        found = low + width * scaled(size, self._doubles, low, high)
        return found if isinstance(found, ndarray) else float(found)

    def standard_normal(self, size=None, dtype=float, out=None):
        """Normal numbers. >>> np.random.default_rng(0).standard_normal(3)"""
        if _dtype(dtype) is not FLOAT64:
            raise NotImplementedError(
                "standard_normal(dtype=…): draw float64 and convert it with .astype"
            )
        found = scaled(size if out is None else out.shape, self._normals)
        return _into(out, found if isinstance(found, ndarray) else float(found))

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal numbers with this mean and standard deviation.
        >>> np.random.default_rng(0).normal(5.0, 0.1, 3)"""
        if np.any(np.less(scale, 0)):
            raise ValueError("scale < 0")
        loc, scale = [asarray(x, float) if np.ndim(x) else float(x) for x in (loc, scale)]
        found = loc + scale * scaled(size, self._normals, loc, scale)
        return found if isinstance(found, ndarray) else float(found)

    # Whole numbers

    def _below(self, n, most):
        """n numbers from 0 to `most`, a number of 32 bits: the upper half of a product, without
        bias."""
        if not most:
            return on_cpu(_C.full, (n,), 0, _C.int64, False)
        parts, need, limit = [], n, (_M32 - most) % (most + 1)
        while need:
            halves = self._halves(need)
            if most == _M32:
                return halves
            product = halves * (most + 1)
            good = (product & _M32) >= limit
            found = (product >> 32) & _M32
            parts.append(found[good] if limit else found)
            need -= len(parts[-1])
        return _C.cat(parts)

    def _halves(self, n):
        """The next n words of 32 bits, as a tensor."""
        first = [] if self._bits._half is None or not n else [self._bits.half_word()]
        rest = n - len(first)
        words = self._bits.words((rest + 1) // 2)
        found = _C.stack([words & _M32, (words >> 32) & _M32], 1).reshape(-1)
        if rest % 2:
            self._bits._half = int(found[-1])
            found = found[:-1]
        return _C.cat([on_cpu(_C.from_data, first, _C.int64, False), found]) if first else found

    def _one(self, most):
        """A number from 0 to `most`."""
        if not most:
            return 0
        if most <= _M32:
            bits, draw = 32, self._bits.half_word
        else:
            bits, draw = 64, self._bits.word
        full = (1 << bits) - 1
        if most == full:
            return draw()
        limit = (full - most) % (most + 1)
        while True:
            product = draw() * (most + 1)
            if product & full >= limit:
                return product >> bits

    def _narrow(self, n, most, bits):
        """n numbers from 0 to `most` of a type whose numbers share a word."""
        if not most:
            return [0] * n
        full, found, word, left = (1 << bits) - 1, [], 0, 0
        limit = (full - most) % (most + 1)
        while len(found) < n:
            if not left:
                word, left = self._bits.half_word(), 32 // bits
            value, word, left = word & full, word >> bits, left - 1
            product = value * (most + 1)
            if most == full or bits == 1:
                found.append(value)
            elif product & full >= limit:
                found.append(product >> bits)
        return found

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        """Whole numbers from low to high, which is not included.
        >>> np.random.default_rng(0).integers(0, 10, 3)"""
        if high is None:
            low, high = 0, low
        kind = _dtype(dtype)
        if np.ndim(low) or np.ndim(high):
            return each(
                size,
                lambda a, b: self._one(int(b) - int(a) - (not endpoint)) + int(a),
                low,
                high,
                whole=True,
            )
        low, high = int(low), int(high) - (not endpoint)
        if low > high:
            raise ValueError("low > high" if endpoint else "low >= high")
        shape = [] if size is None else sizes(size)
        n, most = count_of(shape), high - low
        if kind.itemsize < 4:
            found = self._narrow(n, most, 1 if kind.kind == "b" else kind.bits)
        elif n < 32 or most > _M32:
            found = [self._one(most) for _ in range(n)]
        else:
            found = _C.quietly(lambda: self._below(n, most))
        if size is None:
            return _made(kind, found[0] + low)
        found = (
            found
            if isinstance(found, _C.TensorBase)
            else on_cpu(_C.from_data, found, _C.int64, False)
        )
        return wrap((found + low)._to(kind.torch).reshape(shape))

    def bytes(self, length):
        """Random bytes. >>> len(np.random.default_rng(0).bytes(3))"""
        found = bytearray()
        while len(found) < length:
            found += self._bits.half_word().to_bytes(4, "little")
        return bytes(found[:length])

    # Orders and choices

    def _order(self, n):
        return self._shuffled(list(range(n)))

    def _shuffled(self, x):
        """A list in random order: half words are cut to a place's bits until one is not beyond
        it."""
        half = self._bits.half_word
        for i in range(len(x) - 1, 0, -1):
            mask = (1 << i.bit_length()) - 1
            j = half() & mask
            while j > i:
                j = half() & mask
            x[i], x[j] = x[j], x[i]
        return x

    def shuffle(self, x, axis=0):
        """Puts an array or a list in random order.
        >>> np.random.default_rng(0).shuffle([1, 2, 3])"""
        if isinstance(x, ndarray):
            order = on_cpu(_C.from_data, self._order(x.shape[axis]), _C.int64, False)
            x._t.copy_(_C.quietly(lambda: x._t.index_select(axis, order)))
            return
        self._shuffled(x)

    def permutation(self, x, axis=0):
        """0 … x - 1, or the rows of an array, in random order.
        >>> np.random.default_rng(0).permutation(3)"""
        if isinstance(x, int):
            return array(self._order(int(x)), int)
        x = asarray(x)
        return np.take(x, array(self._order(x.shape[axis]), int), axis)

    def permuted(self, x, axis=None, out=None):
        """A copy with all elements in random order.
        >>> np.random.default_rng(0).permuted([1, 2, 3]).shape"""
        x = asarray(x)
        if axis is not None and x.ndim > 1:
            raise NotImplementedError(
                "permuted(axis=…): permutation(x, axis) keeps the rows together"
            )
        return _into(out, x.ravel()[array(self._order(x.size), int)].reshape(x.shape))

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of an array, or of 0 … a - 1. >>> np.random.default_rng(0).choice(3, 2)"""
        if isinstance(a, ndarray) and a.ndim > 1:
            pool, n = a, a.shape[axis]
        else:
            pool, n = pool_of(a)
        shape = None if size is None else sizes(size)
        count = 1 if shape is None else count_of(shape)
        if p is not None:
            p = shares_of(p, n)
        if replace:
            if p is not None:
                cdf = p.cumsum()
                cdf = cdf / cdf[-1]
                found = np.searchsorted(cdf, self.random(shape), "right")
            else:
                found = self.integers(0, n, shape)
        else:
            if count > n:
                raise ValueError(
                    "Cannot take a larger sample than population when replace is False"
                )
            found = self._without(n, count, p, shuffle)
            found = found[0] if shape is None else found.reshape(shape)
        if pool is not None and getattr(pool, "ndim", 1) > 1:
            return np.take(pool, found, axis)
        return chosen(pool, found, size)

    def _without(self, n, count, p, shuffle):
        if p is not None:
            if np.count_nonzero(p > 0) < count:
                raise ValueError("Fewer non-zero entries in p than size")
            p, found = p.copy(), np.zeros(0, int)
            while len(found) < count:
                x = np.asarray(self.random(count - len(found)))
                if len(found):
                    p[found] = 0
                cdf = p.cumsum()
                cdf = cdf / cdf[-1]
                new = np.searchsorted(cdf, x, "right")
                _, first = np.unique(new, return_index=True)
                found = np.concatenate([found, new[np.sort(first)]])
            return found
        if not n:
            return np.zeros(0, int)
        if n > 10000 and count > n // (50 if shuffle else 20):
            return array(self._by_products(list(range(n)), max(n - count, 1))[n - count:], int)
        # Few of many: each is drawn, and one that was there already gives its place to the last.
        seen, found = set(), []
        for j in range(n - count, n):
            value = self._one(j)
            value = j if value in seen else value
            seen.add(value)
            found.append(value)
        return array(self._by_products(found, 1) if shuffle else found, int)

    def _by_products(self, x, first):
        """A list in random order, by products as `integers` has them."""
        for i in range(len(x) - 1, first - 1, -1):
            j = self._one(i)
            x[i], x[j] = x[j], x[i]
        return x

    def spawn(self, n_children):
        """Generators that have nothing in common with this one.
        >>> len(np.random.default_rng(0).spawn(2))"""
        return [Generator(PCG64(each)) for each in self._bits.seed_seq.spawn(n_children)]


def _into(out, found):
    if out is None:
        return found
    out[...] = found
    return out


def default_rng(seed=None):
    """A generator of random numbers: the same seed, the same numbers as in NumPy.
    >>> np.random.default_rng(0).random(2)"""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else PCG64(seed))
