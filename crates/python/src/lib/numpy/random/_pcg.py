"""The bits of `np.random.default_rng`: seeds, the PCG64 generator, and the layers of its
ziggurats."""

import math
import operator

import _random
import _glowgrad as _C
import numpy as np
from numpy._core import array, on_cpu
from numpy._types import _dtype

_M32, _M64, _M128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1


class SeedSequence:
    """Makes good seeds of any number. >>> np.random.SeedSequence(0).generate_state(1)"""

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        if entropy is None:
            entropy = _random.Random().getrandbits(128)
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
        """Sequences that have nothing in common with this one.
        >>> len(np.random.SeedSequence(0).spawn(2))"""
        start = self.n_children_spawned
        self.n_children_spawned += n_children
        return [
            SeedSequence(
                self.entropy, spawn_key=self.spawn_key + (start + i,), pool_size=self.pool_size
            )
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
            left += [
                word - (word >> 63 << 64) for word in [self.word() for _ in range(n - len(left))]
            ]
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
