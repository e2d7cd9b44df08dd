import glowgrad as torch


def split(groups, n_held):
    """The rows of the other groups, then the rows of the groups that are held back."""
    names = groups.unique()
    order = torch.randperm(len(names))
    drawn = names[order[:n_held]]
    held = torch.isin(groups, drawn)
    rows = torch.arange(len(groups))
    return rows[~held], rows[held]
