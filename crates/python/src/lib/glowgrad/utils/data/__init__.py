"""`torch.utils.data`: data sets, samplers and batches. Shuffles draw as PyTorch's do."""

from glowgrad.utils import _DATA
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

__all__ = _DATA
