"""Checkpoints that hold NumPy's arrays and scalars beside tensors."""

import io
import pickle

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
rng = np.random.default_rng(0)
checkpoint = {
    "model": model.state_dict(),
    "history": np.array([0.5, 0.25, 0.125]),
    "labels": rng.integers(0, 10, (2, 3)),
    "best": np.float32(0.125),
    "shared": torch.from_numpy(np.arange(4)),
}
file = io.BytesIO()
torch.save(checkpoint, file)
file.seek(0)
try:
    torch.load(file)
except pickle.UnpicklingError:
    print("only weights are loaded unasked")
file.seek(0)
again = torch.load(file, weights_only=False)
for name, value in again.items():
    print(name, type(value).__name__, list(value.items()) if name == "model" else value)
model.load_state_dict(again["model"])
x = torch.from_numpy(again["history"]).float()
print(model(x).detach(), again["best"] == 0.125, torch.as_tensor(again["labels"]).sum())

data = np.sin(np.arange(12.0)).reshape(3, 4)
file = io.BytesIO()
torch.save(data, file)
file.seek(0)
print(torch.from_numpy(torch.load(file, weights_only=False)[1:, :-1]))
print(pickle.loads(pickle.dumps((torch.ones(2), np.ones(2)))))
