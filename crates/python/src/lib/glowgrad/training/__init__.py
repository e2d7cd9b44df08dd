"""Training as a job: epochs, validation, metrics, checkpoints, and going on where a run was interrupted.

>>> from glowgrad.training import Trainer
>>> model = torch.nn.Linear(2, 1)
>>> data = torch.utils.data.TensorDataset(torch.randn(32, 2), torch.randn(32, 1))
>>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
>>> trainer = Trainer(model, optimizer, torch.nn.functional.mse_loss, progress=False)
>>> history = trainer.fit(torch.utils.data.DataLoader(data, batch_size=8), epochs=2)
>>> len(history)
"""

from glowgrad.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from glowgrad.training.history import History, compare
from glowgrad.training.metrics import accuracy, show_predictions
from glowgrad.training.trainer import Trainer

__all__ = [
    "Checkpoint", "History", "Trainer", "accuracy", "compare", "load_checkpoint", "save_checkpoint",
    "show_predictions",
]
