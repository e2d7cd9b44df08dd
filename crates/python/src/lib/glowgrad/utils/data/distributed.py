"""The sampler of one of several processes that share an epoch."""

import math

import _glowgrad as _C
from glowgrad.utils.data.sampler import Sampler

__all__ = ("DistributedSampler",)


class DistributedSampler(Sampler):
    """The share of one of several processes; without num_replicas and rank, of the only one.

    >>> list(torch.utils.data.DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0,
                 drop_last=False):
        num_replicas = 1 if num_replicas is None else num_replicas
        rank = 0 if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.epoch, self.drop_last, self.shuffle, self.seed = 0, drop_last, shuffle, seed
        n = len(dataset)
        if drop_last and n % num_replicas != 0:
            self.num_samples = math.ceil((n - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self):
        n = len(self.dataset)
        indices = list(range(n))
        if self.shuffle:
            generator = _C.Generator().manual_seed(self.seed + self.epoch)
            indices = _C.randperm(n, None, generator).tolist()
        # Where there are too few, they come again from the first on.
        places = range(self.rank, self.total_size, self.num_replicas)
        return iter([indices[place % n] for place in places])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Says which epoch comes next: each has an order of its own.

        >>> sampler = torch.utils.data.DistributedSampler(range(8))
        >>> sampler.set_epoch(1)
        >>> sorted(sampler)
        """
        self.epoch = epoch
