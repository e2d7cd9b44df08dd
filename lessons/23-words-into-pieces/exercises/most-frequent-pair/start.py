import glowgrad as torch


def most_frequent_pair(ids, starts):
    """The pair (a, b) that comes most often inside of words."""
    numbers = ids[:-1] * 256 + ids[1:]
    # Which pairs cross a border? Are all tokens below 256?
    best = torch.bincount(numbers).argmax()
    return best
