"""`torch.optim.sparse_adam`, which needs sparse gradients."""

from glowgrad.optim.optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Raises an error: gradients are dense here, and `optim.Adam` takes them.

    >>> issubclass(optim.SparseAdam, optim.Optimizer)
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        raise NotImplementedError(
            "SparseAdam: gradients are dense here, those of nn.Embedding too; use optim.Adam"
        )
