import glowgrad as torch


def split(groups, n_held):
    """The rows of the other groups, then the rows of the groups that are held back."""
    order = torch.randperm(len(groups))
    return order[n_held:], order[:n_held]
