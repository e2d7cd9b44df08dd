"""`torch.utils.data`: data sets and batches. Shuffles draw as PyTorch's do."""

import _glowgrad as _C
from glowgrad._tensor import Tensor


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

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Tensors of equal length; a sample is one row of each.

    >>> data = torch.utils.data.TensorDataset(torch.arange(3.0), torch.tensor([0, 1, 0]))
    >>> data[1]
    """

    def __init__(self, *tensors):
        if any(x.shape[0] != tensors[0].shape[0] for x in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([x[index] for x in self.tensors])

    def __len__(self):
        return self.tensors[0].shape[0]


class Subset(Dataset):
    """Some samples of another data set.

    >>> data = torch.utils.data.TensorDataset(torch.arange(5.0))
    >>> torch.utils.data.Subset(data, [0, 4])[1]
    """

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, list(indices)

    def __getitem__(self, index):
        if isinstance(index, (list, slice)):
            chosen = self.indices[index] if isinstance(index, slice) else [
                self.indices[i] for i in index
            ]
            return self.dataset[chosen]
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Splits a data set at random into parts of these lengths, or shares.

    >>> data = torch.utils.data.TensorDataset(torch.arange(10.0))
    >>> train, test = torch.utils.data.random_split(data, [8, 2])
    >>> len(train), len(test)
    """
    n = len(dataset)
    if abs(sum(lengths) - 1) < 1e-9 and any(isinstance(length, float) for length in lengths):
        sizes = [int(n * share) for share in lengths]
        for i in range(n - sum(sizes)):
            sizes[i % len(sizes)] += 1
        lengths = sizes
    if sum(lengths) != n:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = _C.randperm(n, None, generator).tolist()
    starts = [sum(lengths[:i]) for i in range(len(lengths))]
    return [Subset(dataset, order[at:at + size]) for at, size in zip(starts, lengths)]


def default_collate(batch):
    """Samples joined: tensors stacked, numbers as a tensor, tuples part by part.

    >>> torch.utils.data.default_collate([(1.0, 0), (2.0, 1)])
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _C.stack(list(batch), 0)
    if isinstance(first, (tuple, list)):
        return [default_collate(list(part)) for part in zip(*batch)]
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, (bool, int)):
        return _C.from_data(list(batch), None, False)
    if isinstance(first, float):
        return _C.from_data(list(batch), _C.float64, False)
    return list(batch)


class DataLoader:
    """Goes through a data set in batches, shuffled if you like.

    >>> data = torch.utils.data.TensorDataset(torch.arange(5.0))
    >>> [batch for batch, in torch.utils.data.DataLoader(data, batch_size=2)]
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, *, num_workers=0, collate_fn=None,
                 drop_last=False, generator=None, **ignored):
        if batch_size is None or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.collate_fn, self.drop_last, self.generator = collate_fn, drop_last, generator

    def __len__(self):
        n = len(self.dataset)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def __iter__(self):
        n = len(self.dataset)
        # PyTorch draws a seed for its workers each time, and another for the shuffle.
        _C.draw_seed(self.generator)
        order, generator = list(range(n)), self.generator
        if self.shuffle:
            if generator is None:
                generator = _C.Generator().manual_seed(_C.draw_seed(None))
            order = _C.randperm(n, None, generator).tolist()
        for start in range(0, n, self.batch_size):
            rows = order[start:start + self.batch_size]
            if self.drop_last and len(rows) < self.batch_size:
                break
            yield self._batch(rows)
        if self.shuffle:
            # As PyTorch's sampler does when it is used up: the next epoch depends on it.
            _C.randperm(n, None, generator)

    def _batch(self, rows):
        if self.collate_fn is None and type(self.dataset) is TensorDataset:
            # One gather for each tensor, where samples would be joined again anyway.
            return list(self.dataset[rows])
        samples = [self.dataset[row] for row in rows]
        return (self.collate_fn or default_collate)(samples)
