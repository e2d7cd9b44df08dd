import glowgrad as torch


def most_frequent_pair(ids, starts):
    """The pair (a, b) that comes most often inside of words."""
    size = ids.max().item() + 1
    numbers = (ids[:-1] * size + ids[1:])[~starts[1:]]
    if len(numbers) == 0:
        return None
    best = torch.bincount(numbers).argmax().item()
    return best // size, best % size
