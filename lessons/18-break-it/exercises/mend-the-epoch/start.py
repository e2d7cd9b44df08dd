import glowgrad as torch
import glowgrad.nn.functional as F


def epoch(model, optimizer, x, y, size):
    """One epoch of training. Returns the losses of its batches."""
    x = x[torch.randperm(len(x))]
    y = y[torch.randperm(len(y))]
    losses = []
    for batch, answers in zip(x.split(size), y.split(size)):
        scores = F.softmax(model(batch), dim=1)
        loss = F.cross_entropy(scores, answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses
