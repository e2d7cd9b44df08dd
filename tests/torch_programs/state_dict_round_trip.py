import copy
import json

import torch
import torch.nn as nn


def build():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 1))


def train(model, optimizer, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
    return f"{loss.item():.4f}"


torch.manual_seed(0)
x = torch.randn(8, 2)
y = x[:, :1] - 2 * x[:, 1:]
model = build()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
print(train(model, optimizer, 5))
state = model.state_dict()
for name, value in state.items():
    print(name.ljust(22), tuple(value.shape), value.dtype, value.requires_grad)
print(state["1.num_batches_tracked"], type(state).__name__)

# Saved as text, read back, and both go on alike.
saved = json.dumps({name: value.tolist() for name, value in state.items()})
read = {name: torch.tensor(value, dtype=state[name].dtype) for name, value in json.loads(saved).items()}
print(all(torch.equal(read[name], state[name]) for name in state))
twin = build()
print(twin.load_state_dict(read))
twin_optimizer = torch.optim.Adam(twin.parameters(), lr=0.9)
twin_optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
print(twin_optimizer.param_groups[0]["lr"], sorted(optimizer.state_dict()))
print(train(model, optimizer, 5) == train(twin, twin_optimizer, 5), torch.equal(model[0].weight, twin[0].weight))

# A state dict holds the parameters themselves; a copy does not.
backup = copy.deepcopy(model)
with torch.no_grad():
    model[3].bias.fill_(7)
print(model.state_dict()["3.bias"], state["3.bias"], (backup[3].bias == 7).item())
broken = dict(read)
del broken["3.bias"]
broken["extra"] = torch.zeros(1)
print(twin.load_state_dict(broken, strict=False))
for wrong in [broken, {**read, "0.bias": torch.zeros(5)}]:
    try:
        twin.load_state_dict(wrong)
    except Exception as error:
        print(type(error).__name__)
