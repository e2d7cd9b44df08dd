"""`torch.utils`: data sets, checkpoints, handles of hooks and event files, loaded when first asked for."""

from glowgrad._later import _later

# What `data` has: known before it is loaded.
_DATA = (
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset",
    "DistributedSampler", "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler",
    "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler",
    "default_collate", "default_convert", "get_worker_info", "random_split",
)
_LATER = {"checkpoint": (), "data": (), "hooks": (), "tensorboard": ()}
__getattr__, __dir__ = _later(__name__, _LATER, __name__)
