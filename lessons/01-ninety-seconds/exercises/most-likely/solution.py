import glowgrad as torch


def read(scores):
    """The digit that has the highest of the ten scores."""
    return scores.argmax().item()
