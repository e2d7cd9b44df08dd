"""`np.random.default_rng`: the PCG64 generator and its ziggurats, with NumPy's own numbers.

Long because: the generator's methods are one class, and their tables are computed beside them.
"""

import math
import operator

import _glowgrad as _C
import numpy as np
from numpy._core import array, asarray, on_cpu, wrap
from numpy._make import sizes
from numpy._ndarray import ndarray
from numpy._types import FLOAT32, FLOAT64, _dtype, _made
from numpy.random._legacy import chosen, pool_of, shares_of
from numpy.random._samples import Distributions, count_of, each, scaled

_M32, _M64, _M128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1


class SeedSequence:
    """Makes good seeds of any number. >>> np.random.SeedSequence(0).generate_state(1)"""

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        if entropy is None:
            entropy = _C.draw_seed() & _M128
        self.entropy, self.spawn_key, self.pool_size = entropy, tuple(spawn_key), pool_size
        self.n_children_spawned = n_children_spawned
        words = _words_of(entropy)
        if self.spawn_key:
            words = words + [0] * (pool_size - len(words))
            words = words + [word for key in self.spawn_key for word in _words_of(key)]
        self._mix(words)

    def _mix(self, words):
        constant = [0x43B0D7E5]

        def hashed(value):
            value ^= constant[0]
            constant[0] = constant[0] * 0x931E8875 & _M32
            value = value * constant[0] & _M32
            return value ^ value >> 16

        def mixed(x, y):
            found = (x * 0xCA01F9DD - y * 0x4973F715) & _M32
            return found ^ found >> 16

        n = self.pool_size
        pool = [hashed(words[i] if i < len(words) else 0) for i in range(n)]
        for i in range(n):
            for j in range(n):
                if i != j:
                    pool[j] = mixed(pool[j], hashed(pool[i]))
        for word in words[n:]:
            for j in range(n):
                pool[j] = mixed(pool[j], hashed(word))
        self.pool = pool

    def generate_state(self, n_words, dtype=np.uint32):
        """Words for the state of a generator. >>> np.random.SeedSequence(0).generate_state(1)"""
        wide = _dtype(dtype).itemsize == 8
        found = self._state(n_words * 2 if wide else n_words)
        if wide:
            found = [low | high << 32 for low, high in zip(found[::2], found[1::2])]
        return array(found, np.uint64).astype(dtype) if not wide else array(found, np.uint64)

    def _state(self, n):
        found, constant = [], 0x8B51F9DD
        for i in range(n):
            value = self.pool[i % self.pool_size] ^ constant
            constant = constant * 0x58F38DED & _M32
            value = value * constant & _M32
            found.append(value ^ value >> 16)
        return found

    def spawn(self, n_children):
        """Sequences that have nothing in common with this one. >>> len(np.random.SeedSequence(0).spawn(2))"""
        start = self.n_children_spawned
        self.n_children_spawned += n_children
        return [
            SeedSequence(self.entropy, spawn_key=self.spawn_key + (start + i,), pool_size=self.pool_size)
            for i in range(n_children)
        ]


def _words_of(value):
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0):
        return [word for each in value for word in _words_of(int(each))]
    value = operator.index(value)
    if value < 0:
        raise ValueError("expected non-negative integer")
    found = []
    while value or not found:
        found.append(value & _M32)
        value >>= 32
    return found


class BitGenerator:
    """What gives random words. >>> isinstance(np.random.PCG64(0), np.random.BitGenerator)"""


_STEP = 0x2360ED051FC65DA44385DF649FCCF645


class PCG64(BitGenerator):
    """Words of 64 bits from a state of 128. >>> np.random.PCG64(0).random_raw()"""

    def __init__(self, seed=None):
        self.seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        words = self.seed_seq._state(8)
        halves = [low | high << 32 for low, high in zip(words[::2], words[1::2])]
        state, stream = halves[0] << 64 | halves[1], halves[2] << 64 | halves[3]
        self._add = (stream << 1 | 1) & _M128
        self._state = ((self._add + state) * _STEP + self._add) & _M128
        self._half = None
        self._ready, self._at = [], 0

    def random_raw(self, size=None, output=True):
        """The next word. >>> np.random.PCG64(0).random_raw()"""
        if size is not None:
            return array([self.word() for _ in range(size)], np.uint64)
        return self.word()

    def word(self):
        """The next word. >>> np.random.PCG64(0).word()"""
        if self._at < len(self._ready):
            self._at += 1
            return self._ready[self._at - 1]
        self._state = state = (self._state * _STEP + self._add) & _M128
        word, turn = (state >> 64) ^ (state & _M64), state >> 122
        return (word >> turn | word << 64 - turn) & _M64

    def half_word(self):
        """The next 32 bits: the lower half of a word first."""
        if self._half is not None:
            found, self._half = self._half, None
            return found
        word = self.word()
        self._half = word >> 32
        return word & _M32

    def double(self):
        """A number from 0 to 1."""
        return (self.word() >> 11) * 2.0**-53

    def words(self, n):
        """The next n words as signed 64-bit integers, in a tensor."""
        left = self._ready[self._at:self._at + n]
        self._at += len(left)
        left = [word - (word >> 63 << 64) for word in left]
        if n - len(left) < 64:
            left += [word - (word >> 63 << 64) for word in [self.word() for _ in range(n - len(left))]]
            return on_cpu(_C.from_data, left, _C.int64, False)
        fresh = on_cpu(_C.quietly, lambda: self._many(n - len(left)))
        return _C.cat([on_cpu(_C.from_data, left, _C.int64, False), fresh]) if left else fresh

    def back(self, words):
        """Words that were drawn and not used."""
        self._ready = [word & _M64 for word in words.tolist()] + self._ready[self._at:]
        self._at = 0

    def _many(self, n):
        """Each round makes as many states as there are, from those by one long step."""
        times, add = _STEP, self._add
        states = _limbs([(self._state * times + add) & _M128])
        while states[0].shape[0] < n:
            more = _times_plus(states, times, add)
            states = [_C.cat([old, new]) for old, new in zip(states, more)]
            times, add = times * times & _M128, (times + 1) * add & _M128
        states = [limb[:n] for limb in states]
        last = [int(limb[-1]) & _M32 for limb in states]
        self._state = sum([limb << 32 * i for i, limb in enumerate(last)])
        low = states[0] | states[1] << 32
        high = states[2] | states[3] << 32
        word, turn = low ^ high, (states[3] >> 26) & 63
        right = (word >> turn) & _mask_of(turn)
        return _C.where(turn == 0, word, right | word << ((64 - turn) & 63))


def _mask_of(turn):
    """The bits that stay when a word goes right by `turn`."""
    ones = _C.full((1,), -1, _C.int64, False)
    return _C.where(turn == 0, ones, ~(ones << ((64 - turn) & 63)))


def _limbs(values):
    rows = [[value >> 32 * i & _M32 for value in values] for i in range(4)]
    return [_C.from_data(row, _C.int64, False) for row in rows]


def _times_plus(x, times, add):
    """x * times + add on limbs of 32 bits, whose products are cut in two so that none overflows."""
    t, carry, found = [times >> 32 * i & _M32 for i in range(4)], 0, []
    sums = [add >> 32 * i & _M32 for i in range(4)] + [0]
    for i in range(4):
        for j in range(4 - i):
            # 32 by 16 bits twice: 48 bits each.
            low, high = x[i] * (t[j] & 0xFFFF), x[i] * (t[j] >> 16)
            whole_low = (low & _M32) + ((high & 0xFFFF) << 16)
            sums[i + j] = sums[i + j] + (whole_low & _M32)
            sums[i + j + 1] = sums[i + j + 1] + (low >> 32) + (high >> 16) + (whole_low >> 32)
    for k in range(4):
        whole = sums[k] + carry
        found.append(whole & _M32)
        carry = whole >> 32
    return found


# The ziggurats


def _exact_exp(x):
    """exp(x) for a float x <= 0, to the last bit: by its series, in whole numbers."""
    return _nearest(_exp_bits(x))


_BITS = 160


def _exp_bits(x):
    numerator, denominator = x.as_integer_ratio()
    y = (numerator << _BITS - 8) // denominator
    term = total = 1 << _BITS
    n = 1
    while term:
        term = (term * y >> _BITS) // n if term * y >= 0 else -((-term * y >> _BITS) // n)
        total += term
        n += 1
    for _ in range(8):
        total = total * total >> _BITS
    return total


def _nearest(bits):
    """The float nearest to bits / 2**_BITS."""
    extra = max(bits.bit_length() - 53, 0)
    half = (1 << extra) >> 1
    whole, rest = bits >> extra, bits & ((1 << extra) - 1)
    if rest > half or rest == half and whole & 1:
        whole += 1
    return math.ldexp(float(whole), extra - _BITS)


def _exact_log(y):
    """log(y) for a float y up to 1, to the last bit: one step from the nearest known."""
    near = math.log(y)
    if near >= 0:
        return near
    numerator, denominator = y.as_integer_ratio()
    power = _exp_bits(near)
    off = ((numerator << 2 * _BITS) // denominator) // power - (1 << _BITS)
    off -= off * off >> _BITS + 1
    numerator, denominator = near.as_integer_ratio()
    return -_nearest(-((numerator << _BITS) // denominator + off))


_tables = {}


def _table(kind):
    """Where the layers of a ziggurat end: (k, w, f), as NumPy's were computed."""
    if kind not in _tables:
        normal = kind == "normal"
        last, area = (3.6541528853610088, 0.0049286732339746519) if normal else (
            7.69711747013104972, 0.0039496598225815571993
        )
        scale = 2.0**52 if normal else 2.0**53
        density = (lambda x: _exact_exp(-0.5 * x * x)) if normal else (lambda x: _exact_exp(-x))
        k, w, f = [0] * 256, [0.0] * 256, [1.0] * 256
        x, f[255] = last, density(last)
        w[255] = x / scale
        k[0], w[0] = int(x * f[255] / area * scale), area / f[255] / scale
        for i in range(254, 0, -1):
            y = -_exact_log(area / x + f[i + 1])
            new = math.sqrt(2.0 * y) if normal else y
            k[i + 1] = int(new / x * scale)
            w[i], f[i] = new / scale, density(new)
            if normal and i == 38:
                # Where NumPy's own table was rounded the other way.
                f[i] += 2.0**-53
            x = new
        _tables[kind] = (k, w, f)
    return _tables[kind]


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
        """Whether a number at the edge of its layer stays; in the lowest one the tail's is taken."""
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
            found = np.array([(self._bits.half_word() >> 8) * 2.0**-24 for _ in range(n)], np.float32)
            return _into(out, found[0] if size is None else found.reshape(sizes(size)))
        if size is None and out is None:
            return self._bits.double()
        shape = sizes(out.shape if size is None else size)
        return _into(out, self._doubles(count_of(shape)).reshape(shape))

    def uniform(self, low=0.0, high=1.0, size=None):
        """Numbers from low to high. >>> np.random.default_rng(0).uniform(-1, 1, 3)"""
        width = np.subtract(high, low) if np.ndim(low) or np.ndim(high) else float(high) - float(low)
        found = low + width * scaled(size, self._doubles, low, high)
        return found if isinstance(found, ndarray) else float(found)

    def standard_normal(self, size=None, dtype=float, out=None):
        """Normal numbers. >>> np.random.default_rng(0).standard_normal(3)"""
        if _dtype(dtype) is not FLOAT64:
            raise NotImplementedError("standard_normal(dtype=…): draw float64 and convert it with .astype")
        found = scaled(size if out is None else out.shape, self._normals)
        return _into(out, found if isinstance(found, ndarray) else float(found))

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal numbers with this mean and standard deviation. >>> np.random.default_rng(0).normal(5.0, 0.1, 3)"""
        if np.any(np.less(scale, 0)):
            raise ValueError("scale < 0")
        loc, scale = [asarray(x, float) if np.ndim(x) else float(x) for x in (loc, scale)]
        found = loc + scale * scaled(size, self._normals, loc, scale)
        return found if isinstance(found, ndarray) else float(found)

    # Whole numbers

    def _below(self, n, most):
        """n numbers from 0 to `most`, a number of 32 bits: the upper half of a product, without bias."""
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
        """Whole numbers from low to high, which is not included. >>> np.random.default_rng(0).integers(0, 10, 3)"""
        if high is None:
            low, high = 0, low
        kind = _dtype(dtype)
        if np.ndim(low) or np.ndim(high):
            return each(size, lambda a, b: self._one(int(b) - int(a) - (not endpoint)) + int(a), low, high, whole=True)
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
        found = found if isinstance(found, _C.TensorBase) else on_cpu(_C.from_data, found, _C.int64, False)
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
        """A list in random order: half words are cut to a place's bits until one is not beyond it."""
        half = self._bits.half_word
        for i in range(len(x) - 1, 0, -1):
            mask = (1 << i.bit_length()) - 1
            j = half() & mask
            while j > i:
                j = half() & mask
            x[i], x[j] = x[j], x[i]
        return x

    def shuffle(self, x, axis=0):
        """Puts an array or a list in random order. >>> np.random.default_rng(0).shuffle([1, 2, 3])"""
        if isinstance(x, ndarray):
            order = on_cpu(_C.from_data, self._order(x.shape[axis]), _C.int64, False)
            x._t.copy_(_C.quietly(lambda: x._t.index_select(axis, order)))
            return
        self._shuffled(x)

    def permutation(self, x, axis=0):
        """0 … x - 1, or the rows of an array, in random order. >>> np.random.default_rng(0).permutation(3)"""
        if isinstance(x, int):
            return array(self._order(int(x)), int)
        x = asarray(x)
        return np.take(x, array(self._order(x.shape[axis]), int), axis)

    def permuted(self, x, axis=None, out=None):
        """A copy with all elements in random order. >>> np.random.default_rng(0).permuted([1, 2, 3]).shape"""
        x = asarray(x)
        if axis is not None and x.ndim > 1:
            raise NotImplementedError("permuted(axis=…): permutation(x, axis) keeps the rows together")
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
                raise ValueError("Cannot take a larger sample than population when replace is False")
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
        """Generators that have nothing in common with this one. >>> len(np.random.default_rng(0).spawn(2))"""
        return [Generator(PCG64(each)) for each in self._bits.seed_seq.spawn(n_children)]


def _into(out, found):
    if out is None:
        return found
    out[...] = found
    return out


def default_rng(seed=None):
    """A generator of random numbers: the same seed, the same numbers as in NumPy. >>> np.random.default_rng(0).random(2)"""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else PCG64(seed))
