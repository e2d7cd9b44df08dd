"""`torch.utils.data`: data sets, samplers and batches. Shuffles draw as PyTorch's do."""

from glowgrad.utils.data.collate import default_collate, default_convert
from glowgrad.utils.data.dataloader import DataLoader, get_worker_info
from glowgrad.utils.data.dataset import (
    ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset,
    random_split,
)
from glowgrad.utils.data.distributed import DistributedSampler
from glowgrad.utils.data.sampler import (
    BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = (
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset",
    "DistributedSampler", "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler",
    "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler",
    "default_collate", "default_convert", "get_worker_info", "random_split",
)
