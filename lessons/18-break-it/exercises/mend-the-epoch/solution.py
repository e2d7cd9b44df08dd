import glowgrad as torch
import glowgrad.nn.functional as F


def epoch(model, optimizer, x, y, size):
    """One epoch of training. Returns the losses of its batches."""
    order = torch.randperm(len(x))
    x, y = x[order], y[order]
    losses = []
    for batch, answers in zip(x.split(size), y.split(size)):
        scores = model(batch)
        loss = F.cross_entropy(scores, answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
