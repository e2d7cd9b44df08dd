"""Datasets and batches, as in torch.utils.data."""

import _glowgrad as _C


class Dataset:
    """Something with `__len__` and `__getitem__`."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Tensors that share their first dimension; an item is a tuple of rows."""

    def __init__(self, *tensors):
        if any(tensor.shape[0] != tensors[0].shape[0] for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


def default_collate(items):
    first = items[0]
    if isinstance(first, _C.Tensor):
        return _C.stack(items)
    if isinstance(first, (tuple, list)):
        return [default_collate(list(column)) for column in zip(*items)]
    return _C.tensor(items)


class DataLoader:
    """Batches of a dataset, shuffled with the seeded generator if asked."""

    def __init__(self, dataset, batch_size=1, shuffle=False, drop_last=False, collate_fn=None):
        if batch_size < 1:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.collate_fn = collate_fn or default_collate

    def __len__(self):
        n = len(self.dataset)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def __iter__(self):
        n = len(self.dataset)
        order = _C.randperm(n).tolist() if self.shuffle else list(range(n))
        for start in range(0, n, self.batch_size):
            indices = order[start : start + self.batch_size]
            if self.drop_last and len(indices) < self.batch_size:
                return
            if isinstance(self.dataset, TensorDataset):
                chosen = _C.tensor(indices)
                yield [tensor[chosen] for tensor in self.dataset.tensors]
            else:
                yield self.collate_fn([self.dataset[i] for i in indices])
