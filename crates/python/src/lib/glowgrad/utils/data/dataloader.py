"""`DataLoader`: goes through a data set in batches. It draws when and what PyTorch's draws."""

import _glowgrad as _C
from glowgrad.utils.data.collate import default_collate, default_convert
from glowgrad.utils.data.dataset import IterableDataset, Subset, TensorDataset
from glowgrad.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler, _own

__all__ = ("DataLoader", "default_collate", "default_convert", "get_worker_info")

_INTEGERS = {int}
# What `get_worker_info` tells while a worker's samples are made.
_worker = None


def get_worker_info():
    """Which worker makes this sample, in code that a loader with num_workers calls; else None.

    >>> torch.utils.data.get_worker_info() is None
    """
    return _worker


class _Endless:
    """The indices of samples that have none."""

    def __iter__(self):
        while True:
            yield None


class DataLoader:
    """Goes through a data set in batches, shuffled if you like.

    >>> data = torch.utils.data.TensorDataset(torch.arange(5.0))
    >>> [batch for batch, in torch.utils.data.DataLoader(data, batch_size=2)]
    """

    __class_getitem__ = classmethod(lambda cls, kind: cls)
    _is_ready = False

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None,
                 num_workers=0, collate_fn=None, pin_memory=False, drop_last=False, timeout=0,
                 worker_init_fn=None, multiprocessing_context=None, generator=None, *,
                 prefetch_factor=None, persistent_workers=False, pin_memory_device="",
                 in_order=True):
        _check_workers(
            num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context
        )
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        self.dataset, self.num_workers, self.timeout = dataset, num_workers, timeout
        self.prefetch_factor, self.worker_init_fn = prefetch_factor, worker_init_fn
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.multiprocessing_context, self.in_order = multiprocessing_context, in_order
        self.persistent_workers, self.generator = persistent_workers, generator
        self._is_iterable = isinstance(dataset, IterableDataset)
        if self._is_iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        elif sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, "
                    "sampler, and drop_last"
                )
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last"
            )
        if sampler is None:
            if self._is_iterable:
                sampler = _Endless()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.collate_fn = collate_fn
        self._iterator = self._said_length = None
        self._is_ready = True

    def __setattr__(self, name, value):
        if self._is_ready and name in (
            "batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"
        ):
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        object.__setattr__(self, name, value)

    @property
    def _index_sampler(self):
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self):
        if self.num_workers == 0:
            return _Batches(self)
        from glowgrad.utils.data._workers import WorkedBatches

        if not self.persistent_workers:
            return WorkedBatches(self)
        if self._iterator is None:
            self._iterator = WorkedBatches(self)
        else:
            self._iterator.start(self)
        return self._iterator

    def __len__(self):
        if not self._is_iterable:
            return len(self._index_sampler)
        n = self._said_length = len(self.dataset)
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, context):
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            "multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > "
            "0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    methods = ["fork", "spawn", "forkserver"]
    if context is not None and num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > "
            f"0), but got num_workers={num_workers}"
        )
    if isinstance(context, str) and context not in methods:
        raise ValueError(
            "multiprocessing_context option should specify a valid start method in "
            f"{methods!r}, but got multiprocessing_context={context!r}"
        )


def _check_iterable(shuffle, sampler, batch_sampler):
    wrong = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in wrong.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={value}"
            )


def _fetching(loader, dataset):
    """The function that makes a batch, or a sample, of what the sampler gives."""
    collate, is_batched = loader.collate_fn, loader.batch_sampler is not None
    if loader._is_iterable:
        return _fetching_on(loader, iter(dataset))
    if not is_batched:
        return lambda index: collate(dataset[index])
    at_once = getattr(dataset, "__getitems__", None)
    if collate is default_collate and type(dataset) in (TensorDataset, Subset):
        joined = _rows_of(dataset)
        if joined is not None:
            return joined
    if at_once:
        return lambda rows: collate(at_once(rows))
    return lambda rows: collate([dataset[row] for row in rows])


def _rows_of(dataset):
    """One gather for each tensor, where samples would be joined again; None without tensors."""
    chosen = []
    while type(dataset) is Subset:
        chosen.append(dataset.indices)
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset:
        return None

    def fetch(rows):
        for indices in chosen:
            rows = [indices[row] for row in rows]
        if set(map(type, rows)) == _INTEGERS:
            return list(dataset[rows])
        return default_collate([dataset[row] for row in rows])

    return fetch


def _fetching_on(loader, samples):
    """As `_fetching`, of samples that come one after another."""
    collate, is_batched = loader.collate_fn, loader.batch_sampler is not None
    has_ended = False

    def fetch(index):
        nonlocal has_ended
        if has_ended:
            raise StopIteration
        if not is_batched:
            return collate(next(samples))
        batch = []
        for _ in index:
            try:
                batch.append(next(samples))
            except StopIteration:
                has_ended = True
                break
        if not batch or loader.drop_last and len(batch) < len(index):
            raise StopIteration
        return collate(batch)

    return fetch


class _Batches:
    """One way through a `DataLoader`."""

    def __init__(self, loader):
        self._sampler = loader._index_sampler
        self._indices = iter(self._sampler)
        # PyTorch draws a seed for workers each time, and has none here to give it to.
        self._base_seed = _C.draw_seed(_own(loader.generator))
        self._said_length, self._n_yielded = loader._said_length, 0
        self._dataset = loader.dataset
        self._prepare(loader)

    def _prepare(self, loader):
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetch = _fetching(loader, loader.dataset)

    def __iter__(self):
        return self

    def __len__(self):
        return len(self._sampler)

    def __next__(self):
        data = self._next()
        if self._said_length is not None:
            self._count()
        return data

    def _count(self):
        self._n_yielded += 1
        if self._n_yielded > self._said_length:
            from warnings import warn

            warn(
                f"Length of IterableDataset {self._dataset} was reported to be "
                f"{self._said_length}(when accessing len(dataloader)), but {self._n_yielded} "
                "samples have been fetched. "
            )

    def _next(self):
        return self._fetch(next(self._indices))
