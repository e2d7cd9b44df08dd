# must say: one graph is alive at a time
import glowgrad as torch
import glowgrad.nn.functional as F


def portioned_step(model, optimizer, portions):
    total = sum(len(x) for x, _ in portions)
    loss = 0.0
    for x, target in portions:
        loss = loss + F.mse_loss(model(x), target) * len(x) / total
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
