import glowgrad as torch


def combine(rows, counts):
    """The gradient of the mean loss of all samples."""
    return torch.stack(rows).mean(dim=0)
