"""Methods that write numbers into a tensor: one number everywhere, or random ones."""

import _glowgrad as _C


def zero_(self):
    """Writes zeros. >>> torch.ones(2).zero_()"""
    return _C.fill_with_zeros(self)


def fill_(self, value):
    """Writes one number everywhere. >>> torch.zeros(2).fill_(7)"""
    return _C.fill_with(self, value)


def uniform_(self, a=0.0, b=1.0, *, generator=None):
    """Writes random numbers from a to b. >>> torch.zeros(2, 3).uniform_(-1, 1).shape"""
    if not a <= b:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}"
        )
    return _C.uniform_(self, float(a), float(b), generator)


def normal_(self, mean=0.0, std=1.0, *, generator=None):
    """Writes normal random numbers. >>> torch.zeros(2, 3).normal_().shape"""
    return _C.normal_(self, float(mean), float(std), generator)


def bernoulli(self, *, generator=None):
    """1 with the probability that stands in each place, else 0.
    >>> torch.tensor([0.0, 1.0]).bernoulli()"""
    return _C.bernoulli(self, generator)


def multinomial(self, num_samples, replacement=False, *, generator=None):
    """Indices drawn with the weights that stand in the tensor.
    >>> torch.tensor([0.0, 1.0]).multinomial(1)"""
    return _C.multinomial(self, num_samples, replacement, generator)


def bernoulli_(self, p=0.5, *, generator=None):
    """Writes 1 with probability p, else 0. >>> torch.zeros(3).bernoulli_(1.0)"""
    return _C.bernoulli_(self, p, generator)


def exponential_(self, lambd=1, *, generator=None):
    """Writes numbers from the exponential distribution.
    >>> torch.zeros(2).exponential_().shape"""
    return _C.exponential_(self, float(lambd), generator)


def log_normal_(self, mean=1, std=2, *, generator=None):
    """Writes numbers whose logarithms are normal. >>> torch.zeros(2).log_normal_().shape"""
    return _C.log_normal_(self, float(mean), float(std), generator)


def cauchy_(self, median=0, sigma=1, *, generator=None):
    """Writes numbers from the Cauchy distribution. >>> torch.zeros(2).cauchy_().shape"""
    return _C.cauchy_(self, float(median), float(sigma), generator)


def geometric_(self, p, *, generator=None):
    """Writes how many tries it takes to succeed, with probability p.
    >>> torch.zeros(2).geometric_(0.5).shape"""
    return _C.geometric_(self, float(p), generator)


def random_(self, *bounds, generator=None):
    """Writes random integers. >>> torch.zeros(2).random_(0, 10).shape"""
    if len(bounds) > 2:
        raise TypeError(f"random_() takes at most 2 bounds, got {len(bounds)}")
    low, high = bounds if len(bounds) == 2 else (0, bounds[0]) if bounds else (None, None)
    return _C.random_(self, low, high, generator)
