"""A `DataLoader` with num_workers: the work of all its processes, done in this one.

Each worker has random numbers of its own, as a process would, so that samples are PyTorch's.
"""

import copy
import random
from collections import deque
from itertools import cycle

import _glowgrad as _C
from glowgrad.utils.data import dataloader

_MOST_WORKERS = 1024
_MOST_AHEAD = 1 << 16


class WorkerInfo:
    """What `get_worker_info` tells: id, num_workers, seed and dataset."""

    def __init__(self, id, num_workers, seed, dataset):
        self.id, self.num_workers, self.seed, self.dataset = id, num_workers, seed, dataset

    def __repr__(self):
        return (
            f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, "
            f"dataset={self.dataset!r}, rng=None, worker_method='multiprocessing')"
        )


class _Worker:
    """What a process would be: a copy of the data set, and random numbers."""

    def __init__(self, loader, number, base_seed):
        dataset = copy.copy(loader.dataset)
        self.info = WorkerInfo(number, loader.num_workers, base_seed + number, dataset)
        self.state = None
        self.has_ended = False

        def prepare():
            random.seed(self.info.seed)
            _C.manual_seed(self.info.seed)
            if loader.worker_init_fn is not None:
                loader.worker_init_fn(number)

        self._inside(prepare)
        self.start(loader)

    def start(self, loader):
        self.has_ended = False
        self.fetch = self._inside(lambda: dataloader._fetching(loader, self.info.dataset))

    def _inside(self, function, *args):
        """Calls a function with the worker's random numbers, and puts ours back."""
        ours = _C.get_rng_state(), random.getstate()
        if self.state is not None:
            _C.set_rng_state(self.state[0])
            random.setstate(self.state[1])
        dataloader._worker = self.info
        try:
            return function(*args)
        finally:
            dataloader._worker = None
            self.state = _C.get_rng_state(), random.getstate()
            _C.set_rng_state(ours[0])
            random.setstate(ours[1])

    def make(self, index):
        return self._inside(self.fetch, index)


class WorkedBatches(dataloader._Batches):
    """One way through a `DataLoader` with workers, or with persistent ones every way."""

    def _prepare(self, loader):
        if loader.prefetch_factor <= 0:
            raise AssertionError(
                "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"
            )
        if loader.num_workers > _MOST_WORKERS:
            raise RuntimeError(
                f"DataLoader: num_workers={loader.num_workers} is too many; one process does the "
                f"work of {_MOST_WORKERS} at most"
            )
        self._workers = [
            _Worker(loader, number, self._base_seed) for number in range(loader.num_workers)
        ]
        self._send(loader)

    def start(self, loader):
        """Goes through once more, with the same workers."""
        self._said_length, self._n_yielded = loader._said_length, 0
        for worker in self._workers:
            worker.start(loader)
        self._send(loader)

    def _send(self, loader):
        self._indices = iter(self._sampler)
        self._turns = cycle(self._workers)
        self._tasks = deque()
        for _ in range(min(loader.prefetch_factor * len(self._workers), _MOST_AHEAD)):
            if not self._send_one():
                break

    def _send_one(self):
        """Gives the next task to a worker; whether there was one."""
        try:
            index = next(self._indices)
        except StopIteration:
            return False
        for _ in self._workers:
            worker = next(self._turns)
            if not worker.has_ended:
                self._tasks.append((worker, index))
                break
        return True

    def _next(self):
        while self._tasks:
            worker, index = self._tasks.popleft()
            if worker.has_ended:
                continue
            try:
                data = worker.make(index)
            except StopIteration:
                worker.has_ended = True
                self._send_one()
                continue
            self._send_one()
            return data
        raise StopIteration
