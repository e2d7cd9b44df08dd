"""Samplers: the order in which the samples of a data set are taken. They draw as PyTorch's do."""

from itertools import chain, islice, repeat

import _glowgrad as _C

__all__ = (
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler",
    "WeightedRandomSampler",
)


def _own(generator):
    """The generator as the engine takes it: None for that of everything."""
    import glowgrad

    return None if generator is glowgrad.default_generator else generator


def _is_count(n):
    return isinstance(n, int) and not isinstance(n, bool) and n > 0


class Sampler:
    """An order of indices: define `__iter__`, and `__len__` if it is known.

    >>> class Backwards(torch.utils.data.Sampler):
    >>>     def __iter__(self):
    >>>         return iter([2, 1, 0])
    >>>
    >>> list(torch.utils.data.DataLoader([10, 20, 30], sampler=Backwards()))
    """

    __class_getitem__ = classmethod(lambda cls, kind: cls)

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler):
    """The order of the data set.

    >>> list(torch.utils.data.SequentialSampler("abc"))
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """A random order; with replacement, an index may come again.

    >>> len(list(torch.utils.data.RandomSampler(range(3), replacement=True, num_samples=5)))
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                "num_samples should be a positive integer value, but got "
                f"num_samples={self.num_samples}"
            )

    @property
    def num_samples(self):
        """How many indices it gives. >>> torch.utils.data.RandomSampler(range(3)).num_samples"""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n, samples = len(self.data_source), self.num_samples
        generator = _own(self.generator)
        if self.generator is None:
            generator = _C.Generator().manual_seed(_C.draw_seed(None))
        if self.replacement:
            for size in chain(repeat(32, samples // 32), (samples % 32,)):
                yield from _C.randint(0, n, (size,), None, generator).tolist()
            return
        # The last order is drawn even where none of it is taken: the next epoch depends on it.
        for size in chain(repeat(n, samples // n), (samples % n,)):
            yield from _C.randperm(n, None, generator).tolist()[:size]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """These indices in random order.

    >>> sorted(torch.utils.data.SubsetRandomSampler([2, 5, 7]))
    """

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in _C.randperm(len(self.indices), None, _own(self.generator)).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with these weights, such as to see rare classes more often.

    >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not _is_count(num_samples):
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        from glowgrad import as_tensor

        self.weights = as_tensor(weights, dtype=_C.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples, self.replacement = num_samples, replacement
        self.generator = generator

    def __iter__(self):
        drawn = _C.multinomial(
            self.weights, self.num_samples, self.replacement, _own(self.generator)
        )
        yield from drawn.tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Another sampler's indices in lists of batch_size.

    >>> list(torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
    """

    def __init__(self, sampler, batch_size, drop_last):
        if not _is_count(batch_size):
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        least = self.batch_size if self.drop_last else 1
        batch = list(islice(indices, self.batch_size))
        while len(batch) >= least:
            yield batch
            batch = list(islice(indices, self.batch_size))

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
