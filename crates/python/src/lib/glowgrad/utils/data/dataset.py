"""Data sets: what has samples, and data sets that are made of others."""

import math
from itertools import accumulate

import _glowgrad as _C
from glowgrad.utils.data.sampler import _own

__all__ = (
    "ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset",
    "TensorDataset", "random_split",
)


class Dataset:
    """Something with `len()` whose items are samples: define `__len__` and `__getitem__`.

    >>> class Squares(torch.utils.data.Dataset):
    >>>     def __len__(self):
    >>>         return 10
    >>>     def __getitem__(self, i):
    >>>         return i ** 2
    >>>
    >>> Squares()[3]
    """

    __class_getitem__ = classmethod(lambda cls, kind: cls)

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Samples that come one after another: define `__iter__`.

    >>> class Countdown(torch.utils.data.IterableDataset):
    >>>     def __iter__(self):
    >>>         return iter([3, 2, 1])
    >>>
    >>> list(torch.utils.data.DataLoader(Countdown(), batch_size=2))
    """

    def __iter__(self):
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Tensors of equal length; a sample is one row of each.

    >>> data = torch.utils.data.TensorDataset(torch.arange(3.0), torch.tensor([0, 1, 0]))
    >>> data[1]
    """

    def __init__(self, *tensors):
        if any(tensors[0].size(0) != x.size(0) for x in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([x[index] for x in self.tensors])

    def __len__(self):
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Data sets side by side: a sample is a tuple, or with names a dict, of one sample of each.

    >>> stacked = torch.utils.data.StackDataset(x=[1, 2, 3], y=["a", "b", "c"])
    >>> stacked[1]
    """

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = {len(dataset) for dataset in self._parts()}
        if len(lengths) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths.pop()

    def _parts(self):
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _sample(self, values):
        if isinstance(self.datasets, dict):
            return dict(zip(self.datasets, values))
        return tuple(values)

    def __getitem__(self, index):
        return self._sample([dataset[index] for dataset in self._parts()])

    def __getitems__(self, indices):
        columns = []
        for dataset in self._parts():
            column = _items(dataset, indices)
            if len(column) != len(indices):
                raise ValueError(
                    "Nested dataset's output size mismatch. "
                    f"Expected {len(indices)}, got {len(column)}"
                )
            columns.append(column)
        return [self._sample(row) for row in zip(*columns)]

    def __len__(self):
        return self._length


def _items(dataset, indices):
    """The samples with these indices, at once if the data set can give them so."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if at_once else [dataset[index] for index in indices]


class ConcatDataset(Dataset):
    """Data sets one after another.

    >>> both = torch.utils.data.ConcatDataset([[1, 2], [3, 4, 5]])
    >>> len(both), both[2]
    """

    @staticmethod
    def cumsum(sequence):
        """Where each data set ends. >>> torch.utils.data.ConcatDataset.cumsum([[1, 2], [3]])"""
        ends = []
        for part in sequence:
            ends.append(len(part) + (ends[-1] if ends else 0))
        return ends

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        part = 0
        while part < len(self.datasets) and idx >= self.cumulative_sizes[part]:
            part += 1
        start = self.cumulative_sizes[part - 1] if part else 0
        return self.datasets[part][idx - start]


class ChainDataset(IterableDataset):
    """Iterable data sets one after another.

    >>> class Count(torch.utils.data.IterableDataset):
    >>>     def __iter__(self):
    >>>         return iter(range(2))
    >>>
    >>> list(Count() + Count())
    """

    def __init__(self, datasets):
        self.datasets = datasets

    def _parts(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self):
        for dataset in self._parts():
            yield from dataset

    def __len__(self):
        return sum(len(dataset) for dataset in self._parts())


class Subset(Dataset):
    """Some samples of another data set.

    >>> data = torch.utils.data.TensorDataset(torch.arange(5.0))
    >>> torch.utils.data.Subset(data, [0, 4])[1]
    """

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices
        cls = type(self)
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{cls.__name__} overrides __getitem__ but not __getitems__. When subclassing "
                "Subset and overriding __getitem__, you must also override __getitems__, such as "
                "def __getitems__(self, indices): return [self[idx] for idx in indices]"
            )

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        return _items(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Splits a data set at random into parts of these lengths, or shares.

    >>> data = torch.utils.data.TensorDataset(torch.arange(10.0))
    >>> train, test = torch.utils.data.random_split(data, [8, 2])
    >>> len(train), len(test)
    """
    n = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = []
        for i, share in enumerate(lengths):
            if share < 0 or share > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
            sizes.append(math.floor(n * share))
        for i in range(n - sum(sizes)):
            sizes[i % len(sizes)] += 1
        lengths = sizes
        for i, size in enumerate(lengths):
            if size == 0:
                from warnings import warn

                warn(f"Length of split at index {i} is 0. This might result in an empty dataset.")
    if sum(lengths) != n:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = _C.randperm(n, None, _own(generator)).tolist()
    return [
        Subset(dataset, order[end - size:end]) for end, size in zip(accumulate(lengths), lengths)
    ]
