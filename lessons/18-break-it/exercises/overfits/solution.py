import copy

import glowgrad as torch
import glowgrad.nn.functional as F


def overfits(model, x, y):
    """Whether a copy of the model can learn one batch by heart."""
    trial = copy.deepcopy(model)
    optimizer = torch.optim.Adam(trial.parameters(), lr=0.02)
    for _ in range(100):
        loss = F.cross_entropy(trial(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        loss = F.cross_entropy(trial(x), y)
    return loss.item() < 0.1
