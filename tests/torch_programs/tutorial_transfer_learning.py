# A trained network put to another task: frozen layers, a new head, features by hooks, averaged weights.
import copy
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import lr_scheduler
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(30)
x = torch.rand(80, 6)
old, new = (x.sum(1) > 3).long(), (x[:, 0] > x[:, 1]).long()
model = nn.Sequential(OrderedDict([
    ("features", nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 12), nn.ReLU())),
    ("classifier", nn.Linear(12, 2)),
]))


def train_model(model, labels, optimizer, scheduler, epochs, early=None):
    best, best_loss, waited = copy.deepcopy(model.state_dict()), float("inf"), 0
    for epoch in range(epochs):
        for phase in ("train", "val"):
            model.train(phase == "train")
            part = slice(0, 60) if phase == "train" else slice(60, 80)
            optimizer.zero_grad()
            with torch.set_grad_enabled(phase == "train"):
                outputs = model(x[part])
                _, guess = torch.max(outputs, 1)
                loss = F.cross_entropy(outputs, labels[part])
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                    scheduler.step()
            right = torch.sum(guess == labels[part].data).double() / len(guess)
            if epoch % 5 == 0:
                print(f"{epoch} {phase}: loss {loss.item():.4f} right {right:.2f}")
            if phase == "val":
                waited = 0 if loss.item() < best_loss else waited + 1
                if loss.item() < best_loss:
                    best_loss, best = loss.item(), copy.deepcopy(model.state_dict())
        if early is not None and waited >= early:
            print("stopped after", epoch)
            break
    model.load_state_dict(best)
    return model


optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
train_model(model, old, optimizer, lr_scheduler.StepLR(optimizer, 7, 0.5), 11)

# A new head on frozen layers.
second = copy.deepcopy(model)
for p in second.parameters():
    p.requires_grad = False
second.classifier = nn.Linear(second.classifier.in_features, 2)
print([n for n, p in second.named_parameters() if p.requires_grad])
optimizer = torch.optim.Adam(second.classifier.parameters(), lr=0.05)
train_model(second, new, optimizer, lr_scheduler.ExponentialLR(optimizer, 0.95), 11, early=3)
print(all(torch.equal(a, b) for a, b in zip(model.features.parameters(), second.features.parameters())))

# All of it, the old layers slowly; and the mean of the last weights.
for p in second.parameters():
    p.requires_grad_(True)
optimizer = torch.optim.AdamW([
    {"params": second.features.parameters(), "lr": 1e-3}, {"params": second.classifier.parameters(), "lr": 1e-2},
])
averaged = AveragedModel(second)
for step in range(8):
    loss = F.cross_entropy(second(x), new)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step >= 4:
        averaged.update_parameters(second)
print(f"{loss.item():.4f}", averaged.n_averaged, f"{F.cross_entropy(averaged(x), new).item():.4f}")

# What a layer says, by a hook; what of a checkpoint fits.
seen = {}
handles = [
    layer.register_forward_hook(lambda m, i, o, name=name: seen.setdefault(name, o.detach()))
    for name, layer in second.features.named_children() if isinstance(layer, nn.Linear)
]
second(x[:3])
for handle in handles:
    handle.remove()
print({name: tuple(value.shape) for name, value in seen.items()})
third = nn.Sequential(OrderedDict(features=copy.deepcopy(second.features), head=nn.Linear(12, 3)))
print(third.load_state_dict(model.state_dict(), strict=False))
fitting = {k: v for k, v in model.state_dict().items() if k in third.state_dict() and v.shape == third.state_dict()[k].shape}
state = third.state_dict()
state.update(fitting)
print(third.load_state_dict(state), len(fitting))
try:
    third.load_state_dict({**state, "head.weight": torch.zeros(2, 12)})
except RuntimeError as error:
    print(error)
