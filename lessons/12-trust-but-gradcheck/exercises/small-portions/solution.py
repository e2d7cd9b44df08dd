import glowgrad as torch
import glowgrad.nn.functional as F


def portioned_step(model, optimizer, portions):
    """One step with the gradient of the mean over all examples; returns that mean error."""
    total = sum(len(x) for x, _ in portions)
    error = 0.0
    optimizer.zero_grad()
    for x, target in portions:
        loss = F.mse_loss(model(x), target) * len(x) / total  # each example counts 1 / total
        loss.backward()
        error += loss.item()
    optimizer.step()
    return error
